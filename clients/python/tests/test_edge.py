"""A client of a real edge."""

from __future__ import annotations

import json
import threading
import time
import unittest
from datetime import datetime, timedelta, timezone

import halyard

from .support.edge import ADA, BOB, Edge
from .support.until import eventually


class WithAnEdge(unittest.TestCase):
    def setUp(self) -> None:
        self.edge = Edge(self.addCleanup)

    def client(self, **settings: object) -> halyard.Client:
        client = self.edge.client(**settings)
        self.addCleanup(client.close)
        return client

    def test_getters_of_every_type_answer_and_say_why(self) -> None:
        client = self.client()
        self.assertIs(client.boolean("new-checkout", ADA, False), True)
        self.assertIs(client.boolean("new-checkout", {"key": "bob", "attributes": {"country": "BE"}}, True), False)
        self.assertEqual(client.string("of-text", "bob", "code"), "hello")
        self.assertEqual(client.number("of-number", None, 0.5), 2.5)
        self.assertEqual((client.integer("of-int", BOB, 1), client.number("of-int", BOB, 1)), (42, 42.0))
        value = {"size": 3, "tags": ["a", None], "ratio": 0.5}
        self.assertEqual(client.json("of-object", ADA, None), value)
        client.json("of-object", ADA, None).clear()
        self.assertEqual(client.json("of-object", ADA, None), value, "a copy may be changed")

        detail = client.string_detail("of-variant", ADA, "none")
        told = (detail.value, detail.reason, detail.variant, detail.version, detail.error)
        self.assertEqual(told, ("new", "VARIANT", "treatment", client.status.version, None))
        self.assertEqual(client.boolean_detail("new-checkout", ADA, False).reason, "TARGETED")
        self.assertEqual(client.boolean_detail("of-off", ADA, True).reason, "DISABLED")
        missing = client.boolean_detail("none", ADA, True)
        self.assertEqual((missing.value, missing.reason, missing.error), (True, "NOT_FOUND", "FLAG_NOT_FOUND"))
        mistyped = client.integer_detail("of-text", ADA, 7)
        self.assertEqual((mistyped.value, mistyped.reason, mistyped.error), (7, "ERROR", "TYPE_MISMATCH"))
        self.assertIn("TYPE_MISMATCH", repr(mistyped))
        self.assertEqual(len(client.flag_keys()), 8)

    def test_a_listener_is_told_what_changed_and_that_the_edge_is_gone_and_back(self) -> None:
        client = self.client()
        self.assertEqual((client.status.state, client.status.last_error), ("READY", None))
        changes: list[halyard.Changed] = []
        states: list[halyard.Status] = []
        threads: set[int] = set()
        client.on_change(changes.append)
        client.on_change(lambda _: threads.add(threading.get_ident()))
        client.on_status(states.append)
        self.edge.set("v1")
        eventually("the change", lambda: client.string("of-live", ADA, "") == "v1")
        eventually("the listener is told", lambda: changes)
        self.assertEqual((changes[0].flags, changes[0].version), (["of-live"], client.status.version))
        eventually("all are told", lambda: threads)
        self.assertNotIn(threading.get_ident(), threads)

        self.edge.stop()
        eventually("it is stale", lambda: client.status.state == "STALE")
        since = client.status.since
        assert since is not None
        self.assertLess(abs(datetime.now(timezone.utc) - since), timedelta(seconds=20))
        self.assertEqual(client.string("of-live", ADA, ""), "v1")
        self.edge.set("v2")
        self.edge.start()
        eventually("the change", lambda: client.string("of-live", ADA, "") == "v2")
        eventually("both states are told", lambda: [s.state for s in states][-1:] == ["READY"] and len(states) >= 2)
        self.assertIn("STALE", [status.state for status in states])
        self.assertTrue(next(status for status in states if status.state == "STALE").last_error)
        self.assertIsNone(client.status.since)

    def test_a_listener_that_raises_or_is_removed_disturbs_nobody(self) -> None:
        client = self.client()
        told: list[halyard.Changed] = []
        removed: list[halyard.Changed] = []

        def fail(_: halyard.Changed) -> None:
            raise ValueError("not today")

        client.on_change(fail)
        client.on_change(told.append)
        with client.on_change(removed.append):
            pass
        with self.assertLogs("halyard", "ERROR") as logged:
            self.edge.set("v1")
            eventually("the listener is told", lambda: told)
        self.assertIn("ValueError: not today", logged.output[0])
        self.assertEqual(removed, [])

    def test_the_log_says_that_the_edge_is_gone_and_back(self) -> None:
        self.client()
        with self.assertLogs("halyard", "INFO") as logged:
            self.edge.stop()
            eventually("it is stale", lambda: len(logged.records) == 1)
            self.edge.start()
            eventually("it is ready", lambda: len(logged.records) == 2)
        self.assertEqual([record.levelname for record in logged.records], ["WARNING", "INFO"])

    def test_it_starts_from_a_local_copy_with_nothing_running(self) -> None:
        copy = self.edge.folder / "copies" / "flags.copy"
        with self.edge.client(local_copy=copy) as client:
            self.edge.set("v1")
            eventually("the change", lambda: client.string("of-live", ADA, "") == "v1")
        self.edge.stop()
        begin = time.monotonic()
        again = self.client(local_copy=str(copy))
        self.assertLess(time.monotonic() - begin, 2)
        self.assertEqual((again.string("of-live", ADA, ""), again.status.state), ("v1", "STALE"))

        offline = halyard.Client.from_file(copy)
        self.assertEqual((offline.string("of-live", ADA, ""), offline.status.state), ("v1", "READY"))
        self.assertTrue(offline.wait_until_ready(0))
        offline.close()
        self.assertEqual(offline.string("of-live", ADA, ""), "v1")
        # It takes the last report.
        self.edge.start()

    def test_without_waiting_it_answers_with_defaults_until_there_are_flags(self) -> None:
        self.edge.stop()
        client = self.client(wait=False)
        answer = client.boolean_detail("new-checkout", ADA, False)
        told = (answer.value, answer.reason, answer.error, answer.version)
        self.assertEqual(told, (False, "ERROR", "PROVIDER_NOT_READY", None))
        self.assertEqual((client.status.state, client.flag_keys()), ("NOT_READY", []))
        self.assertFalse(client.wait_until_ready(0.05))
        self.edge.start()
        self.assertTrue(client.wait_until_ready(15))
        self.assertIs(client.boolean("new-checkout", ADA, False), True)

    def test_closing_reports_what_was_asked_and_shown(self) -> None:
        with self.edge.client() as client:
            for _ in range(3):
                client.boolean("new-checkout", ADA, False)
            client.track("of-variant", "treatment", "ada")
            self.assertEqual(client.tracks_dropped, 0)
            client.track("of-variant", "x" * 3_000, "ada")
            self.assertEqual(client.tracks_dropped, 1)
        client.close()
        self.edge.shut_down()
        reported = [json.loads(line) for line in self.edge.usage().splitlines()]
        counted = [line for line in reported if line.get("flag") == "new-checkout"]
        self.assertEqual(sum(line.get("count", 0) for line in counted), 3, reported)
        self.assertIn("treatment", self.edge.usage())

    def test_other_threads_go_on_while_one_waits(self) -> None:
        self.edge.stop()
        client = self.client(wait=False)
        waiting = threading.Thread(target=client.wait_until_ready, args=(1.0,))
        waiting.start()
        begin, turns = time.monotonic(), 0
        while time.monotonic() - begin < 0.2:
            client.boolean("new-checkout", ADA, False)
            turns += 1
        self.assertTrue(waiting.is_alive())
        self.assertGreater(turns, 100)
        waiting.join()
