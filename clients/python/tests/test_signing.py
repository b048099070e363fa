"""An environment and keys that are pinned."""

from __future__ import annotations

import os
import shutil
import tempfile
import unittest
from pathlib import Path
from typing import Any

import halyard

from .support.edge import ADA, KEY, Edge, free_port

VECTORS = Path(os.environ["HALYARD_VECTORS"])
ENVIRONMENT = (VECTORS / "signed.environment").read_text()
PIN = (VECTORS / "signed.key").read_text()
OTHER = "A" * 43
ANOTHER = "0190a3f0-0000-7000-8000-000000000001"


class Pins(unittest.TestCase):
    def test_what_an_edge_does_not_sign_is_not_used(self) -> None:
        edge = Edge(self.addCleanup)
        why = "not signed by a key that is pinned: there is no signature"
        with self.assertRaisesRegex(halyard.StartTimeoutError, why):
            edge.client(environment_id=ENVIRONMENT, signing_keys=(PIN,), start_timeout=0.5)
        client = edge.client(environment_id=None, signing_keys=None)
        self.addCleanup(client.close)
        self.assertEqual(client.string("of-text", ADA, "code"), "hello")

    def test_a_local_copy_is_used_if_one_of_the_keys_signed_it_of_the_environment(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        copy = Path(folder.name) / "flags.copy"
        shutil.copy(VECTORS / "signed.copy", copy)
        for environment, keys, answer in (
            (ENVIRONMENT, [OTHER, PIN], "signed"),
            (ENVIRONMENT, [OTHER], "code"),
            (ANOTHER, [PIN], "code"),
        ):
            client = halyard.Client(
                KEY,
                f"http://127.0.0.1:{free_port()}",
                local_copy=copy,
                environment_id=environment,
                signing_keys=keys,
                wait=False,
            )
            # Not closed: that would wait for the edge, to report.
            self.assertEqual(client.string("of-text", ADA, "code"), answer)

    def test_pins_that_are_none_are_errors(self) -> None:
        unusable: list[tuple[dict[str, Any], str]] = [
            ({"signing_keys": [PIN, "MCowBQYDK2VwAyEA"]}, '^the signing key "MCowBQYD"… is no Ed25519 public key'),
            ({"signing_keys": []}, "^there are no signing keys to pin$"),
            ({"signing_keys": None}, "^environment_id needs signing_keys too$"),
            ({"environment_id": None}, "^signing_keys needs environment_id too$"),
            ({"environment_id": "production"}, '^the environment id "producti"… is no UUID$'),
        ]
        for given, why in unusable:
            settings: dict[str, Any] = {"environment_id": ENVIRONMENT, "signing_keys": [PIN], **given}
            with self.subTest(given), self.assertRaisesRegex(halyard.SettingsError, why):
                halyard.Client(KEY, "http://127.0.0.1:9", **settings)
        with self.assertRaises(TypeError):
            halyard.Client(KEY, "http://127.0.0.1:9", environment_id=ENVIRONMENT, signing_keys="one text")
