"""The package that was built, as an application installs it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from .support.edge import KEY, Edge

HERE = Path(__file__).parent.parent
SHOWN = ("# In the README from here …\n", "# … to here.")


class Packages(unittest.TestCase):
    folder: str
    python: str

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory(prefix="halyard-clean-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.python = str(Path(cls.folder) / "bin" / "python")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", cls.folder], check=True)
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", cls.python]
        subprocess.run([*pip, "install", "--quiet", "--no-index", os.environ["HALYARD_WHEEL"]], check=True)

    def run_clean(self, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Runs Python with the package and nothing else, away from the sources."""
        command = [self.python, "-I", *arguments]
        return subprocess.run(command, cwd=self.folder, env=env, capture_output=True, text=True, timeout=60)

    def test_the_example_runs_where_nothing_else_is_installed(self) -> None:
        edge = Edge(self.addCleanup)
        example = str(HERE / "examples" / "first_flag.py")
        ran = self.run_clean(example, edge.url, "of-live", HALYARD_API_KEY=KEY)
        self.assertEqual((ran.stdout, ran.stderr, ran.returncode), ("", "", 0))
        ran = self.run_clean("-c", CHANGES, edge.url, KEY, str(edge.folder))
        self.assertEqual((ran.stdout, ran.stderr, ran.returncode), ("v0 v1\n", "", 0))

    def test_the_provider_says_what_it_needs(self) -> None:
        ran = self.run_clean("-c", "import halyard.openfeature")
        self.assertIn("pip install 'halyard-sdk[openfeature]'", ran.stderr)

    def test_it_ends_well_without_being_closed(self) -> None:
        edge = Edge(self.addCleanup)
        ran = self.run_clean("-c", UNCLOSED, edge.url, KEY)
        self.assertEqual((ran.stdout, ran.stderr, ran.returncode), ("hello\n", "", 0))

    def test_it_has_types_and_a_licence(self) -> None:
        ran = self.run_clean("-c", FILES)
        for name in ("halyard/py.typed", "halyard/_native.pyi", "halyard/openfeature.py", "LICENSE"):
            self.assertIn(name, ran.stdout)

    def test_wrong_calls_are_found_by_mypy(self) -> None:
        command = [sys.executable, "-m", "mypy", "--strict", "--python-executable", self.python, "--cache-dir", os.devnull]
        ran = subprocess.run([*command, "-c", TYPES], cwd=self.folder, capture_output=True, text=True, timeout=60)
        lines = {line.split(":")[1] for line in ran.stdout.splitlines() if ": error:" in line}
        self.assertEqual(sorted(lines), ["6", "7", "8"], ran.stdout)

    def test_the_readme_shows_the_example(self) -> None:
        example = (HERE / "examples" / "first_flag.py").read_text()
        shown = example.split(SHOWN[0])[1].split(SHOWN[1])[0]
        self.assertIn(f"```python\n{shown}```", (HERE / "README.md").read_text())
        self.assertLessEqual(len(shown.splitlines()), 8)


CHANGES = """
import pathlib, queue, sys, halyard
url, key, folder = sys.argv[1:]
news = queue.Queue()
with halyard.Client(key, url) as client:
    before = client.string("of-live", "ada", "")
    client.on_change(news.put)
    file = pathlib.Path(folder, "flags.json")
    new = file.with_suffix(".new")
    new.write_text(file.read_text().replace('"v0"', '"v1"'))
    new.replace(file)
    assert news.get(timeout=20).flags == ["of-live"]
    print(before, client.string("of-live", "ada", ""))
"""

UNCLOSED = """
import sys, halyard
client = halyard.Client(sys.argv[2], sys.argv[1])
client.on_change(print)
client.on_status(print)
print(client.string("of-text", "ada", ""))
"""

TYPES = """
import halyard
def right(client: halyard.Client) -> bool:
    return client.boolean("flag", {"key": "ada", "attributes": {"age": 36}}, False)
def wrong(client: halyard.Client) -> int:
    client.boolean("flag", {"kee": "ada"}, False)
    client.string("flag", 7, "")
    return client.string("flag", "ada", "")
"""

FILES = """
import importlib.metadata
print(*importlib.metadata.files("halyard-sdk"), sep="\\n")
"""
