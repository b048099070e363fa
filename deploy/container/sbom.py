#!/usr/bin/env python3
"""Writes what PROGRAM is made of into FOLDER: an SBOM (CycloneDX) and the licences, from Cargo.lock and, for the dashboard
that is part of halyard, package-lock.json. Packages that only build or test it are left out."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tomllib
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LICENCE = re.compile(r"(?i)(licen[cs]e|copying|notice|unlicense|copyright)")


def command(*words):
    return subprocess.run(words, check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout


def crates(program):
    """The package of a program, all that are linked into it, and what each depends on."""
    host = re.search("host: (.*)", command("rustc", "-vV"))[1]
    data = json.loads(command("cargo", "metadata", "--locked", "--format-version=1", f"--filter-platform={host}"))
    packages = {package["id"]: package for package in data["packages"]}
    linked = {
        node["id"]: [dep["pkg"] for dep in node["deps"] if any(kind["kind"] is None for kind in dep["dep_kinds"])]
        for node in data["resolve"]["nodes"]
    }
    (top,) = (
        id for id in data["workspace_members"]
        if any(target["name"] == program and "bin" in target["kind"] for target in packages[id]["targets"])
    )
    found, waiting = {}, [top]
    while waiting:
        id = waiting.pop()
        if id not in found:
            found[id] = linked[id]
            waiting += linked[id]
    return top, packages, found


def component(kind, package, purl_type):
    name, version = package["name"], package["version"]
    # The package manager encodes "@" of a scope so.
    purl = f"pkg:{purl_type}/{name.replace('@', '%40')}@{version}"
    result = {"type": kind, "bom-ref": purl, "name": name, "version": version, "purl": purl}
    if package.get("license"):
        # An old way to write it.
        result["licenses"] = [{"expression": re.sub(r"\s*/\s*", " OR ", package["license"])}]
    return result


def of_dashboard():
    lock = json.loads((ROOT / "control-plane/dashboard/package-lock.json").read_text())
    for path, package in lock["packages"].items():
        if path and not package.get("dev") and not package.get("optional"):
            yield component("library", {"name": path.rpartition("node_modules/")[2], **package}, "npm")


def main():
    program, folder = sys.argv[1], Path(sys.argv[2])
    top, packages, found = crates(program)
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())
    checksums = {(one["name"], one["version"]): one.get("checksum") for one in lock["package"]}

    components = {id: component("library", packages[id], "cargo") for id in found}
    for id, one in components.items():
        if checksum := checksums[one["name"], one["version"]]:
            one["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    of_program = components[top] | {"type": "application", "name": program}
    dependencies = [
        {"ref": components[id]["bom-ref"], "dependsOn": sorted({components[dep]["bom-ref"] for dep in deps})}
        for id, deps in found.items()
    ]
    libraries = [one for id, one in components.items() if id != top]
    if program == "halyard":
        libraries += of_dashboard()
    sbom = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": of_program},
        "components": sorted(libraries, key=lambda one: one["bom-ref"]),
        "dependencies": sorted(dependencies, key=lambda one: one["ref"]),
    }
    sbom["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(sbom))}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sbom.cdx.json").write_text(json.dumps(sbom, indent=1) + "\n")

    with open(folder / "third-party.txt", "w") as out:
        for one in sbom["components"]:
            licence = one["licenses"][0]["expression"] if "licenses" in one else "see its text"
            print(one["purl"], licence, sep="\t", file=out)
        texts = {}
        for id in found:
            for path in sorted(Path(packages[id]["manifest_path"]).parent.iterdir()):
                if path.is_file() and LICENCE.match(path.name) and packages[id]["source"]:
                    text = path.read_text(errors="replace")
                    key = hashlib.sha256(" ".join(text.split()).encode()).digest()
                    texts.setdefault(key, (text, []))[1].append(f"{components[id]['purl']} ({path.name})")
        for text, owners in texts.values():
            print("\n" + "=" * 78, *sorted(owners), "", text, sep="\n", file=out)
    shutil.copy(ROOT / "LICENSE", folder)


main()
