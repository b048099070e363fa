"""Every case that defines the meaning of a flag, as a test of clients/rust writes it."""

from __future__ import annotations

import json
import math
import os
import unittest
from pathlib import Path
from typing import Any

import halyard

# As many as there are.
CASES = 2_628


def same(a: Any, b: Any) -> bool:
    """Compares numbers by value, and tells them from booleans."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return a == b or math.isclose(a, b, rel_tol=0, abs_tol=0)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[name], b[name]) for name in a)
    return bool(a == b)


class Vectors(unittest.TestCase):
    def test_every_case_has_its_answer(self) -> None:
        folder = Path(os.environ["HALYARD_VECTORS"])
        clients: dict[str, halyard.Client] = {}
        mismatches = []
        lines = (folder / "cases.jsonl").read_text().splitlines()
        for line in lines:
            case = json.loads(line)
            file = case["file"]
            client = clients.get(file) or clients.setdefault(file, halyard.Client.from_file(folder / file))
            given = case["context"]
            prepared = halyard.Context(given.get("key", ""), given.get("attributes"))
            for context in (given, prepared):
                answer = client.json_detail(case["flag"], context, None)
                told = (answer.reason, answer.variant or "", answer.version)
                expected = (case["reason"], case["variant"], case["version"])
                if told != expected or not same(answer.value, case["value"]):
                    mismatches.append(f"{file}: {case['name']}: {answer}, expected {case['value']} {expected}")
            self.check_types(client, case)
        self.assertEqual(mismatches, [])
        self.assertEqual(len(lines), CASES)

    def check_types(self, client: halyard.Client, case: dict[str, Any]) -> None:
        """Each getter gives the value if it is of its type, and what it was given if not."""
        if case["reason"] == "NOT_FOUND":
            return
        value, default = case["value"], object()
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        getters: list[tuple[Any, bool]] = [
            (client.boolean, isinstance(value, bool)),
            (client.string, isinstance(value, str)),
            (client.number, is_number),
            (client.integer, is_number and float(value).is_integer()),
        ]
        for ask, has_type in getters:
            answer = ask(case["flag"], case["context"], default)
            told = f"{case['name']}: {ask.__name__} of {value!r} is {answer!r}"
            self.assertTrue(same(answer, value) if has_type else answer is default, told)
