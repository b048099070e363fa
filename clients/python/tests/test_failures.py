"""What raises, and what does not."""

from __future__ import annotations

import math
import tempfile
import time
import unittest
import uuid
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import halyard

from .support.edge import ADA, KEY, Edge, free_port


class Odd:
    def __str__(self) -> str:
        raise ValueError("no text")


class Starts(unittest.TestCase):
    def test_a_wrong_key_is_one_clear_error(self) -> None:
        edge = Edge(self.addCleanup)
        begin = time.monotonic()
        with self.assertRaises(halyard.RefusedError) as refused:
            halyard.Client("srv_" + "1" * 48, edge.url)
        self.assertLess(time.monotonic() - begin, 5)
        self.assertRegex(str(refused.exception), "^the API key is refused: .")
        self.assertIsInstance(refused.exception, halyard.HalyardError)

    def test_an_edge_that_does_not_answer_in_time_is_an_error(self) -> None:
        with self.assertRaisesRegex(halyard.StartTimeoutError, "there are no flags in time"):
            halyard.Client(KEY, f"http://127.0.0.1:{free_port()}", start_timeout=0.2)

    def test_settings_that_cannot_be_used_are_errors(self) -> None:
        unusable: list[dict[str, Any]] = [
            {"server_key": "cli_0000"},
            {"edge_url": "edge.example.com"},
            {"start_timeout": -1.0},
            {"usage_interval": math.nan},
        ]
        for given in unusable:
            settings: dict[str, Any] = {"server_key": KEY, "edge_url": "http://127.0.0.1:9", **given}
            with self.subTest(given), self.assertRaises(halyard.SettingsError):
                halyard.Client(**settings)

    def test_a_file_that_is_damaged_or_not_there_is_an_error(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "flags.copy"
            with self.assertRaisesRegex(halyard.FileError, "flags.copy"):
                halyard.Client.from_file(path)
            path.write_bytes(b"halyard sdk copy 1\n" + b"x" * 100)
            with self.assertRaisesRegex(halyard.FileError, "damaged"):
                halyard.Client.from_file(path)


class Getters(unittest.TestCase):
    client: halyard.Client

    @classmethod
    def setUpClass(cls) -> None:
        cls.client = Edge(cls.addClassCleanup).client()
        cls.addClassCleanup(cls.client.close)

    def test_they_answer_with_the_very_default_whatever_they_are_given(self) -> None:
        default = object()
        given: Any
        for given in [None, 7, b"x", "\ud800", Odd(), ["x"], float("nan"), type]:
            for ask in (self.client.boolean, self.client.json, self.client.string):
                with self.subTest(given=type(given), ask=ask):
                    self.assertIs(ask(given, ADA, default), default)
                    self.assertIs(ask("none", given, default), default)
                    self.assertIs(ask("of-text", given, default) == "hello", ask != self.client.boolean)

    def test_attributes_of_any_type_are_told_as_texts_and_numbers(self) -> None:
        endless: list[Any] = []
        endless.append(endless)
        values: list[Any] = [Odd(), endless, {1: {2, 3}}, 10**400, -(10**30), math.inf, Decimal("1.5"), uuid.uuid4(), b"x"]
        for value in [*values, date(2026, 1, 1), datetime(2026, 1, 1), datetime(2026, 1, 1, tzinfo=timezone.utc)]:
            with self.subTest(type(value)):
                user = halyard.Context("ada", {"country": "NL", "other": value})
                self.assertIs(self.client.boolean("new-checkout", user, False), True)
                user = halyard.Context("ada", {"country": value})
                self.assertIs(self.client.boolean("new-checkout", user, True), False)

    def test_named_attributes_are_those_of_a_mapping(self) -> None:
        for user in (halyard.Context("ada", {"country": "BE"}, country="NL"), halyard.Context("ada", country="NL", key=1)):
            self.assertIs(self.client.boolean("new-checkout", user, False), True)
        self.assertEqual((halyard.Context("ada").key, repr(ADA)), ("ada", 'Context("ada")'))
