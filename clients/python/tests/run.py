"""Runs all tests, each file in a process of its own since most of them wait, and says in the end what `./dev test` adds up."""

from __future__ import annotations

import io
import multiprocessing
import sys
import unittest
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

HERE = Path(__file__).parent


def run(module: str) -> tuple[str, int, int]:
    """What the tests of a file print, how many there are, and how many fail."""
    sys.path.insert(0, str(HERE.parent))
    text = io.StringIO()
    result = unittest.TextTestRunner(verbosity=2, stream=text).run(unittest.defaultTestLoader.loadTestsFromName(module))
    # A test with subtests that fail counts once.
    told = [test for test, _ in (*result.failures, *result.errors)]
    failed = len({getattr(test, "test_case", test).id() for test in told})
    return text.getvalue(), result.testsRun, failed


def main() -> int:
    # Without a fork, which is what some of them are about.
    spawn = multiprocessing.get_context("spawn")
    modules = sorted(f"tests.{file.stem}" for file in HERE.glob("test_*.py"))
    total = failures = 0
    with ProcessPoolExecutor(4, spawn) as processes:
        for text, count, failed in processes.map(run, modules):
            print(text, end="", flush=True)
            total += max(count, failed)
            failures += failed
    is_ok = failures == 0 and total > 0
    print(f"test result: {'ok' if is_ok else 'FAILED'}. {total - failures} passed; {failures} failed")
    return 0 if is_ok else 1


if __name__ == "__main__":
    sys.exit(main())
