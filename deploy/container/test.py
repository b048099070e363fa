#!/usr/bin/env python3
"""Runs both images without a container engine: takes the last stage of each from Containerfile, makes its root by root.sh of the
programs in BIN, and runs them there by `chroot` as the file says: its user, variables, entry point and health check, and a
read-only root. Needs root, and an empty database (DATABASE_URL).

usage: test.py BIN"""

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
BIN = Path(sys.argv.pop(1)).resolve()
WORK = Path(tempfile.mkdtemp(prefix="halyard-images-"))
PATIENCE = 60
# Runs "$@" in the root $1 with the volume $2, as user $3. What an engine provides in any container is mounted too.
ENTER = """
set -e
cd "$1" && mkdir -p proc dev && touch dev/null dev/urandom etc/hosts etc/resolv.conf
mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && cd "$1"
mount -t proc proc proc
for file in dev/null dev/urandom etc/hosts etc/resolv.conf; do mount --bind "/$file" "$file"; done
mount --bind "$2" var/lib/halyard
root=$1 user=$3 && shift 3
exec setpriv --no-new-privs chroot --userspec="$user" --groups= "$root" "$@"
"""


def stages():
    """The instructions of each stage that is an image."""
    text = re.sub(r"\\\n\s*", "", (HERE / "Containerfile").read_text())
    found, stage = {}, None
    for line in text.splitlines():
        if line and not line.startswith("#"):
            word, _, rest = line.partition(" ")
            if word == "FROM":
                base, _, name = rest.split()
                stage = found.setdefault(name, {}) if base == "scratch" else {}
            elif word == "ENV":
                stage["ENV"] = dict(pair.split("=", 1) for pair in shlex.split(rest))
            else:
                stage[word] = rest
    return found


class Image:
    def __init__(self, name, stage):
        assert stage["COPY"] == f"--from=build /roots/{name} /", stage["COPY"]
        self.name, self.stage, self.root = name, stage, WORK / name
        subprocess.run([HERE / "root.sh", BIN / name, self.root], check=True)

    def start(self, volume, *words, **variables):
        """Starts the entry point with WORDS, or with CMD."""
        words = json.loads(self.stage["ENTRYPOINT"]) + list(words or json.loads(self.stage.get("CMD", "[]")))
        return self.enter(volume, words, variables)

    def enter(self, volume, words, variables):
        entered = ["unshare", "--mount", "sh", "-c", ENTER, "sh", self.root, volume, self.stage["USER"], *words]
        path = {"PATH": os.environ["PATH"]}
        return subprocess.Popen(
            entered, env=path | self.stage["ENV"] | variables, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )

    def run(self, volume, *words, **variables):
        return ended(self.start(volume, *words, **variables))

    def health(self, volume, **variables):
        words = json.loads(re.search(r"CMD (\[.*])", self.stage["HEALTHCHECK"])[1])
        return ended(self.enter(volume, words, variables))


def ended(process):
    output, _ = process.communicate(timeout=PATIENCE)
    return process.returncode, output


def volume(name):
    """A new volume, which an engine gives the owner that the folder has in the image."""
    folder = WORK / "volumes" / name
    folder.mkdir(parents=True)
    os.chown(folder, 65532, 65532)
    return folder


def port(kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def is_right(image, running, folder, variables):
    """Waits until the health check of a started image succeeds; returns how long that took."""
    begun = time.monotonic()
    while image.health(folder, **variables)[0] != 0:
        if running.poll() is not None or time.monotonic() - begun > PATIENCE:
            running.kill()
            raise AssertionError(running.communicate()[0])
        time.sleep(0.05)
    return time.monotonic() - begun


class Images(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.images = {name: Image(name, stage) for name, stage in stages().items()}
        cls.control, cls.edge = cls.images["halyard"], cls.images["halyard-edge"]

    def test_an_image_holds_one_program_and_its_libraries_and_no_shell(self):
        for image in self.images.values():
            files = (file for file in image.root.rglob("*") if file.is_file() and os.access(file, os.X_OK))
            programs = {file.name for file in files if ".so" not in file.name}
            programs = {name for name in programs if name not in ("null", "urandom")}
            self.assertEqual(programs, {image.name})
            self.assertTrue((image.root / "usr/share/doc/halyard/LICENSE").is_file())

    def test_its_lists_name_what_is_linked_and_not_what_tests_need(self):
        for image in self.images.values():
            folder = image.root / "usr/share/doc/halyard"
            sbom = json.loads((folder / "sbom.cdx.json").read_text())
            self.assertEqual(sbom["metadata"]["component"]["name"], image.name)
            names = {one["name"] for one in sbom["components"]}
            self.assertTrue({"tokio", "quinn", "aws-lc-sys"} <= names, names)
            self.assertFalse({"proptest", "tests", "vite"} & names)
            self.assertEqual("react" in names, image.name == "halyard")
            self.assertIn("Permission is hereby granted", (folder / "third-party.txt").read_text())
            packages = {file.name for file in (image.root / "var/lib/dpkg/status.d").iterdir()}
            self.assertEqual(packages, {"libc6", "libgcc-s1"})

    def test_it_runs_without_a_server_and_says_that_none_answers(self):
        version = re.search(r'^version = "(.*)"', (HERE.parents[1] / "Cargo.toml").read_text(), re.MULTILINE)[1]
        for image in self.images.values():
            folder = volume(f"{image.name}-alone")
            status, output = image.run(folder, "--version")
            self.assertEqual((status, output.split()[:2]), (0, [image.name, version]))
            setting = "CONTROL_ADMIN_ADDR" if image.name == "halyard" else "EDGE_ADMIN_ADDR"
            status, output = image.health(folder, **{setting: f"0.0.0.0:{port()}"})
            self.assertEqual(status, 1, output)
            self.assertIn("Connection refused", output)

    def test_the_service_runs_in_the_images(self):
        database = os.environ["DATABASE_URL"].replace("127.0.0.1", "localhost")
        kept, nothing = volume("edge-1"), volume("nothing")
        control = {
            "DATABASE_URL": database,
            "APP_SECRET": "0123456789abcdef" * 2,
            "JWT_SECRET": "fedcba9876543210" * 2,
            "APP_BASE_URL": "https://halyard.example.com",
            "SMTP_URL": "smtps://user:password@mail.example.com",
            "MAIL_FROM": "flags@example.com",
            "CONTROL_HTTP_ADDR": f"0.0.0.0:{port()}",
            "CONTROL_ADMIN_ADDR": f"0.0.0.0:{port()}",
            "CONTROL_QUIC_ADDR": f"0.0.0.0:{port(socket.SOCK_DGRAM)}",
            "SHUTDOWN_DELAY": "0",
        }
        status, output = self.control.run(nothing, "migrate", **control)
        self.assertEqual(status, 0, output)
        status, output = self.control.run(
            kept, "edge", "enroll", "--name", "edge-1", "--out", "/var/lib/halyard/identity", **control
        )
        self.assertEqual(status, 0, output)
        serving = self.control.start(nothing, **control)
        self.addCleanup(serving.kill)
        print(f"halyard is ready after {is_right(self.control, serving, nothing, control):.2f} s")

        edge = {
            "EDGE_UPSTREAM": control["CONTROL_QUIC_ADDR"].replace("0.0.0.0", "localhost"),
            "EDGE_HTTP_ADDR": f"0.0.0.0:{port()}",
            "EDGE_ADMIN_ADDR": f"0.0.0.0:{port()}",
            "SHUTDOWN_DELAY": "0",
        }
        answering = self.edge.start(kept, **edge)
        self.addCleanup(answering.kill)
        print(f"halyard-edge is right after {is_right(self.edge, answering, kept, edge):.2f} s")
        self.assertEqual(link_of(edge["EDGE_ADMIN_ADDR"]), "connected")

        for running in (answering, serving):
            running.send_signal(signal.SIGTERM)
            status, output = ended(running)
            self.assertEqual(status, 0, output)
            self.assertNotIn("Read-only file system", output)
        # The identity that was enrolled, and a cache.
        self.assertTrue({"identity", "cache"} <= {file.name for file in kept.iterdir()})
        self.assertEqual(list(nothing.iterdir()), [])


def link_of(address):
    """What an edge says of its link once it is ready."""
    url = f"http://{address.replace('0.0.0.0', '127.0.0.1')}/ready"
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return json.load(urllib.request.urlopen(url, timeout=5))["link"]
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)


program = unittest.main(exit=False, verbosity=2)
subprocess.run(["rm", "-rf", WORK], check=True)
result = program.result
failed = len(result.failures) + len(result.errors)
print(f"test result: {'FAILED' if failed else 'ok'}. {result.testsRun - failed} passed; {failed} failed")
sys.exit(failed > 0)
