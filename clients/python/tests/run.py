"""Runs all tests, and says in the end what `./dev test` adds up."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

if __name__ == "__main__":
    here = Path(__file__).parent
    sys.path.insert(0, str(here.parent))
    suite = unittest.defaultTestLoader.discover(str(here), top_level_dir=str(here.parent))
    result = unittest.TextTestRunner(verbosity=2, stream=sys.stdout).run(suite)
    # A test with subtests that fail counts once.
    told = [test for test, _ in (*result.failures, *result.errors)]
    failed = len({getattr(test, "test_case", test).id() for test in told})
    is_ok = failed == 0 and result.testsRun > 0
    print(f"test result: {'ok' if is_ok else 'FAILED'}. {result.testsRun - failed} passed; {failed} failed")
    sys.exit(0 if is_ok else 1)
