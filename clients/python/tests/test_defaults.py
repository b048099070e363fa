"""The hook that tells which defaults the code has, in OpenFeature's own client."""

from __future__ import annotations

import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from openfeature import api
from openfeature.client import OpenFeatureClient
from openfeature.provider.in_memory_provider import InMemoryFlag, InMemoryProvider

from halyard.defaults import DefaultsHook


class Defaults(unittest.TestCase):
    def setUp(self) -> None:
        self.reports: list[dict[str, Any]] = []
        self.addCleanup(api.shutdown)
        reports = self.reports

        class Taker(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                reports.append({"path": self.path, "key": self.headers["X-API-Key"], "body": body})
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        taker = ThreadingHTTPServer(("127.0.0.1", 0), Taker)
        self.url = f"http://127.0.0.1:{taker.server_port}"
        threading.Thread(target=taker.serve_forever, daemon=True).start()
        self.addCleanup(taker.server_close)
        self.addCleanup(taker.shutdown)

    def flags(self, hook: DefaultsHook) -> OpenFeatureClient:
        self.addCleanup(hook.close)
        flags = {"dark": InMemoryFlag("on", {"on": True}), "size": InMemoryFlag("on", {"on": {"big": 1, "small": 2}})}
        api.set_provider(InMemoryProvider(flags), self.id())
        client = api.get_client(self.id())
        client.add_hooks([hook])
        return client

    def test_defaults_are_told_with_how_many_answers_differ(self) -> None:
        hook = DefaultsHook("srv_1", self.url, service="shop")
        flags = self.flags(hook)
        for _ in range(3):
            flags.get_boolean_value("dark", False)
        flags.get_object_value("size", {"small": 2, "big": 1})
        # Without an answer there is nothing to compare.
        flags.get_boolean_value("none", True)
        hook.flush()
        hook.flush()
        told = [
            {"flag_key": "dark", "default": False, "answers": 3, "differing": 3},
            {"flag_key": "size", "default": {"small": 2, "big": 1}, "answers": 1, "differing": 0},
        ]
        body = {"service": "shop", "defaults": told}
        self.assertEqual(self.reports, [{"path": "/v1/defaults", "key": "srv_1", "body": body}])

    def test_an_edge_that_is_not_there_is_nothing_that_the_application_notices(self) -> None:
        hook = DefaultsHook("srv_1", "http://127.0.0.1:1")
        self.assertIs(self.flags(hook).get_boolean_value("dark", False), True)
        hook.flush()

    def test_what_one_report_holds_is_bounded(self) -> None:
        hook = DefaultsHook("srv_1", self.url)
        flags = self.flags(hook)
        for one in range(510):
            flags.get_object_value("size", {"one": one})
        flags.get_object_value("size", {"long": "a" * 1_000})
        hook.flush()
        self.assertEqual(len(self.reports[0]["body"]["defaults"]), 500)


if __name__ == "__main__":
    unittest.main()
