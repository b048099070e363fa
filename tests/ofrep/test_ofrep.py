"""The provider for Python, with the flags that halyard.mjs made."""

import os
import unittest

from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext

KEY = os.environ["HALYARD_API_KEY"]
SERVERS = {
    "separate edge": os.environ["HALYARD_EDGE_URL"],
    "control plane": os.environ["HALYARD_URL"],
    "edge from a file": os.environ["HALYARD_FILES_URL"],
}
USER = EvaluationContext("user-1", {"country": "NL"})


def client(domain, url, headers):
    api.set_provider(OFREPProvider(url, headers_factory=lambda: headers), domain)
    return api.get_client(domain)


class PythonProvider(unittest.TestCase):
    def at_every_server(self, headers=None):
        for name, url in SERVERS.items():
            with self.subTest(name):
                yield client(f"{self.id()} {name}", url, headers or {"X-API-Key": KEY})

    def assert_told(self, details, *expected):
        self.assertEqual((details.value, details.reason, details.variant), expected)

    def assert_failed(self, details, value, code):
        self.assertEqual((details.value, details.reason, details.error_code), (value, "ERROR", code))

    def test_values_of_every_type_come_with_reason_and_variant(self):
        for flags in self.at_every_server():
            self.assert_told(flags.get_boolean_details("of-bool", False, USER), True, "TARGETING_MATCH", "on")
            self.assert_told(flags.get_boolean_details("of-off", True, USER), False, "DISABLED", "off")
            self.assert_told(flags.get_string_details("of-text", "", USER), "hello", "DEFAULT", "default")
            self.assert_told(flags.get_integer_details("of-int", 0, USER), 42, "DEFAULT", "default")
            self.assert_told(flags.get_float_details("of-float", 0.0, USER), 2.5, "DEFAULT", "default")
            self.assert_told(
                flags.get_object_details("of-object", {}, USER), {"size": 3, "tags": ["a", "b"]}, "DEFAULT", "default"
            )
            self.assert_told(flags.get_string_details("of-variant", "", USER), "new", "SPLIT", "treatment")
            gated = flags.get_boolean_details("of-gated", True, USER)
            self.assert_told(gated, False, "DEFAULT", "off")
            self.assertEqual(gated.flag_metadata, {"reason": "PREREQUISITE_FAILED"})

    def test_the_key_may_be_a_bearer_token(self):
        for flags in self.at_every_server({"Authorization": f"Bearer {KEY}"}):
            self.assertEqual(flags.get_string_value("of-text", "", USER), "hello")

    def test_errors_have_their_code(self):
        for flags in self.at_every_server():
            self.assert_failed(flags.get_string_details("of-nowhere", "code", USER), "code", "FLAG_NOT_FOUND")
            nobody = EvaluationContext(attributes={"country": "NL"})
            self.assert_failed(flags.get_string_details("of-text", "code", nobody), "code", "TARGETING_KEY_MISSING")
            self.assert_failed(flags.get_integer_details("of-text", 7, USER), 7, "TYPE_MISMATCH")

    def test_a_wrong_key_is_told(self):
        for flags in self.at_every_server({"X-API-Key": "srv_wrong"}):
            self.assert_failed(flags.get_string_details("of-text", "code", USER), "code", "GENERAL")


if __name__ == "__main__":
    unittest.main()
