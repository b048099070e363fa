"""What a call takes, in nanoseconds, on one thread: HALYARD_VECTORS=… python bench/evaluation.py, with a release build installed."""

from __future__ import annotations

import json
import os
import timeit
from collections.abc import Callable
from pathlib import Path

import halyard

CALLS = 200_000


def nanoseconds(call: Callable[[], object]) -> float:
    """The least of several rounds, without what the loop takes."""
    rounds = timeit.repeat(call, number=CALLS, repeat=7)
    empty = timeit.repeat(lambda: None, number=CALLS, repeat=7)
    return (min(rounds) - min(empty)) / CALLS * 1e9


def main() -> None:
    folder = Path(os.environ["HALYARD_VECTORS"])
    cases = map(json.loads, (folder / "cases.jsonl").read_text().splitlines())
    matched = next(case for case in cases if case["reason"] == "TARGETED" and case["value"] is True)
    client = halyard.Client.from_file(folder / matched["file"])
    flag, given = matched["flag"], matched["context"]
    user = halyard.Context(given.get("key", ""), given.get("attributes"))
    calls: dict[str, Callable[[], object]] = {
        "boolean with a rule, context prepared": lambda: client.boolean(flag, user, False),
        "boolean with a rule, context a dict": lambda: client.boolean(flag, given, False),
        "boolean_detail, context prepared": lambda: client.boolean_detail(flag, user, False),
        "Context with its attributes": lambda: halyard.Context(given.get("key", ""), given.get("attributes")),
    }
    for name, call in calls.items():
        print(f"{name:40} {nanoseconds(call):7.0f} ns")


if __name__ == "__main__":
    main()
