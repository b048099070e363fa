"""Processes that fork, as servers for Python do."""

from __future__ import annotations

import json
import os
import sys
import traceback
import unittest
from collections.abc import Callable

import halyard

from .support.edge import ADA, Edge
from .support.until import eventually


def in_child(work: Callable[[], None]) -> int:
    """Forks, does the work in the child, and gives its process id."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
        os._exit(status)
    return child


@unittest.skipUnless(hasattr(os, "fork"), "there is no fork here")
class Forks(unittest.TestCase):
    def setUp(self) -> None:
        self.edge = Edge(self.addCleanup)

    def succeeds(self, child: int) -> None:
        _, status = os.waitpid(child, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 0)

    def test_a_client_from_before_the_fork_is_safe_to_ask_in_the_child(self) -> None:
        client = self.edge.client()
        self.addCleanup(client.close)
        told: list[object] = []
        client.on_change(told.append)

        def work() -> None:
            assert client.boolean("new-checkout", ADA, False) is True
            assert client.boolean("none", ADA, True) is True
            assert client.status.state == "STALE", client.status
            assert "forked" in (client.status.last_error or ""), client.status
            client.track("of-variant", "treatment", "ada")
            assert client.wait_until_ready(1)
            client.close()
            assert client.boolean("new-checkout", ADA, False) is True
            again = [client.on_change(print)]
            again.clear()

        for _ in range(20):
            self.succeeds(in_child(work))
        self.edge.set("v1")
        eventually("the parent goes on", lambda: told and client.string("of-live", ADA, "") == "v1")
        self.assertEqual(client.status.state, "READY")

    def test_clients_of_children_are_updated_and_reported_each(self) -> None:
        # Without waiting, they are made by the thread that forks, which draws alike in all children.
        before = self.edge.client(wait=False)
        self.addCleanup(before.close)

        def work() -> None:
            with self.edge.client(wait=False) as client:
                assert client.wait_until_ready(), client.status
                changes: list[halyard.Changed] = []
                client.on_change(changes.append)
                self.assertIs(client.boolean("new-checkout", ADA, False), True)
                eventually("the change", lambda: changes)

        children = [in_child(work) for _ in range(3)]
        for child in children:
            # Until it listens nothing is told, so change it again and again.
            number = iter(range(1_000))
            eventually("a child ends", lambda: self.changed_and_ended(child, next(number)))
        self.edge.shut_down()
        reported = [json.loads(line) for line in self.edge.usage().splitlines()]
        counts = [line.get("count", 0) for line in reported if line.get("flag") == "new-checkout"]
        self.assertEqual(sum(counts), 3, reported)

    def changed_and_ended(self, child: int, number: int) -> bool:
        self.edge.set(f"{child} {number}")
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            self.assertEqual(os.waitstatus_to_exitcode(status), 0)
        return ended == child
