#!/usr/bin/env python3
"""Runs the images without a container engine: takes the last stage of each from Containerfile, makes its root by root.sh of the
programs in BIN, and runs them there by `chroot` as the file says: its user, variables, entry point and health check, and a
read-only root. So are the services of compose.yaml started that are ours. Needs root, and an empty database (DATABASE_URL).

usage: test.py BIN, in the environment of deploy/dev/deployment.txt"""

import itertools
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

import yaml

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "helm"))
import chart  # noqa: E402

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
                stage.setdefault(word, []).append(rest)
    return found


class Image:
    def __init__(self, name, stage):
        self.name, self.root, self.user, self.variables = name, WORK / name, stage["USER"][0], stage["ENV"]
        self.entry, self.default = json.loads(stage["ENTRYPOINT"][0]), json.loads(stage.get("CMD", ["[]"])[0])
        self.check = None
        if "HEALTHCHECK" in stage:
            self.check = json.loads(re.search(r"CMD (\[.*])", stage["HEALTHCHECK"][0])[1])
        state = f"--from=build --chown={self.user} /roots/state /var/lib/halyard"
        assert stage["COPY"] == [f"--from=build /roots/{name} /", state], stage["COPY"]
        subprocess.run([HERE / "root.sh", BIN / name, self.root], check=True)
        (self.root / "var/lib/halyard").mkdir()

    def start(self, volume, *words, **variables):
        """Starts the entry point with WORDS, or with CMD."""
        return self.enter(volume, self.entry + list(words or self.default), variables)

    def enter(self, volume, words, variables):
        entered = ["unshare", "--mount", "sh", "-c", ENTER, "sh", self.root, volume, self.user, *words]
        path = {"PATH": os.environ["PATH"]}
        return subprocess.Popen(
            entered, env=path | self.variables | variables, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )

    def run(self, volume, *words, **variables):
        return ended(self.start(volume, *words, **variables))

    def health(self, volume, **variables):
        return ended(self.enter(volume, self.check, variables))


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
            linked = {"tokio", "clap" if image.name == "halyardctl" else "quinn", "aws-lc-sys"}
            self.assertTrue(linked <= names, names)
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
            if not image.check:
                continue
            setting = "CONTROL_ADMIN_ADDR" if image.name == "halyard" else "EDGE_ADMIN_ADDR"
            status, output = image.health(folder, **{setting: f"0.0.0.0:{port()}"})
            self.assertEqual(status, 1, output)
            self.assertIn("Connection refused", output)

    def test_the_client_reads_the_folder_that_it_is_given(self):
        folder = volume("flags")
        (folder / "flags.yaml").write_text("flags:\n  checkout:\n    environments: {live: {enabled: true}}\n")
        status, output = self.images["halyardctl"].run(folder, "validate", "--dir", "/var/lib/halyard/flags.yaml")
        self.assertEqual(status, 0, output)
        self.assertIn("1 flag", output)
        (folder / "flags.yaml").write_text("flags:\n  checkout: {enabld: true}\n")
        status, output = self.images["halyardctl"].run(folder, "validate", "--dir", "/var/lib/halyard/flags.yaml")
        self.assertEqual(status, 1, output)

    def test_the_commands_of_the_chart_exist(self):
        def knows(program, arguments):
            # What comes before is parsed, and nothing is done.
            words = [BIN / program, *arguments, "--help"]
            return subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

        commands = set()
        for values in chart.SETS.values():
            for _, pod in chart.pods(chart.manifests(values)):
                for one in chart.containers(pod):
                    commands.add((one["image"].split(":")[0], *one.get("args", [])))
        self.assertGreater(len(commands), 5)
        for program, *arguments in commands:
            self.assertTrue(knows(program, arguments), (program, arguments))
            self.assertFalse(knows(program, [*arguments, "--no-such-flag"]))

    def test_the_services_of_compose_run_in_the_images(self):
        compose = Compose(self.images)
        compose.command("migrate")
        # Without an answer of the database: its only use is to find that nothing is to be done.
        for name, unreachable in itertools.product(("relay", "edge-1", "edge-2"), (False, True)):
            compose.command(f"enroll-{name}", unreachable)
        running = []
        for name in ("control", "relay", "edge-1", "edge-2"):
            running.append(process := compose.start(name))
            self.addCleanup(process.communicate)
            self.addCleanup(process.kill)
            print(f"{name} answers its health check after {compose.healthy(name, process):.2f} s")
            if name != "control":
                compose.until(name, "EDGE_ADMIN_ADDR", "/ready", lambda ready: ready["link"] == "connected")
        # An edge below a relay is known through it.
        compose.until(
            "control",
            "CONTROL_ADMIN_ADDR",
            "/edges",
            lambda edges: any((edge["name"], edge.get("via")) == ("edge-2", "relay") for edge in edges),
        )

        for process in reversed(running):
            process.send_signal(signal.SIGTERM)
            status, output = ended(process)
            self.assertEqual(status, 0, output)
            self.assertNotIn("Read-only file system", output)
        self.assertTrue((WORK / "volumes/edge-2/cache").is_dir())


class Compose:
    """What compose.yaml says of our services, on ports of this machine."""

    def __init__(self, images):
        folder = HERE.parent / "compose"
        made = subprocess.run([folder / "env.sh"], check=True, stdout=subprocess.PIPE, text=True).stdout
        values = dict(line.split("=", 1) for line in made.splitlines() if not line.startswith("#"))
        text = re.sub(r"\$\{(\w+):\?[^}]*}", lambda found: values[found[1]], (folder / "compose.yaml").read_text())
        self.services = yaml.safe_load(text)["services"]
        self.images, self.volumes = images, {}
        tcp, udp = socket.SOCK_STREAM, socket.SOCK_DGRAM
        self.settings = {
            "control": {"CONTROL_HTTP_ADDR": tcp, "CONTROL_ADMIN_ADDR": tcp, "CONTROL_QUIC_ADDR": udp},
            "relay": {"EDGE_HTTP_ADDR": tcp, "EDGE_ADMIN_ADDR": tcp, "EDGE_RELAY_ADDR": udp},
            "edge-1": {"EDGE_HTTP_ADDR": tcp, "EDGE_ADMIN_ADDR": tcp},
            "edge-2": {"EDGE_HTTP_ADDR": tcp, "EDGE_ADMIN_ADDR": tcp},
        }
        for settings in self.settings.values():
            settings.update({name: f"0.0.0.0:{port(kind)}" for name, kind in settings.items()})
            settings["SHUTDOWN_DELAY"] = "0"

    def start(self, name, unreachable=False):
        image, folder, variables = self.of(name)
        if unreachable:
            variables["DATABASE_URL"] = f"postgres://127.0.0.1:{port()}/none"
        return image.start(folder, *self.services[name].get("command", []), **variables)

    def of(self, name):
        service = self.services[name]
        assert service["read_only"] and service["cap_drop"] == ["ALL"], name
        variables = {key: str(value) for key, value in service["environment"].items()}
        if "DATABASE_URL" in variables:
            variables["DATABASE_URL"] = os.environ["DATABASE_URL"].replace("127.0.0.1", "localhost")
        for at, setting in (("control:8443", "CONTROL_QUIC_ADDR"), ("relay:8444", "EDGE_RELAY_ADDR")):
            if at in variables.get("EDGE_UPSTREAM", ""):
                address = self.settings[at.split(":")[0]][setting].replace("0.0.0.0", "localhost")
                variables["EDGE_UPSTREAM"] = variables["EDGE_UPSTREAM"].replace(at, address)
        kept = service.get("volumes", ["none:/var/lib/halyard"])[0].removesuffix(":/var/lib/halyard")
        if kept not in self.volumes:
            self.volumes[kept] = volume(kept)
        image = self.images[service["image"].split(":")[0]]
        return image, self.volumes[kept], variables | self.settings.get(name, {})

    def command(self, name, unreachable=False):
        status, output = ended(self.start(name, unreachable))
        assert status == 0, (name, output)

    def healthy(self, name, process):
        """Waits until the health check of a started service succeeds; returns how long that took."""
        image, folder, variables = self.of(name)
        begun = time.monotonic()
        while image.health(folder, **variables)[0] != 0:
            if process.poll() is not None or time.monotonic() - begun > PATIENCE:
                process.kill()
                raise AssertionError(process.communicate()[0])
            time.sleep(0.05)
        return time.monotonic() - begun

    def until(self, name, setting, path, is_right):
        """Waits until a service answers so."""
        url = f"http://{self.settings[name][setting].replace('0.0.0.0', '127.0.0.1')}{path}"
        until, answer = time.monotonic() + PATIENCE, None
        while not answer or not is_right(answer):
            assert time.monotonic() < until, (name, answer)
            time.sleep(0.05)
            try:
                with urllib.request.urlopen(url, timeout=5) as response:
                    answer = json.load(response)
            except OSError:
                answer = None


program = unittest.main(exit=False, verbosity=2)
subprocess.run(["rm", "-rf", WORK], check=True)
result = program.result
failed = len(result.failures) + len(result.errors)
print(f"test result: {'FAILED' if failed else 'ok'}. {result.testsRun - failed} passed; {failed} failed")
sys.exit(failed > 0)
