"""Keys that are pinned."""

from __future__ import annotations

import os
import shutil
import tempfile
import unittest
from collections.abc import Sequence
from pathlib import Path

import halyard

from .support.edge import ADA, KEY, Edge, free_port

VECTORS = Path(os.environ["HALYARD_VECTORS"])


class Pins(unittest.TestCase):
    def test_what_an_edge_does_not_sign_is_not_used(self) -> None:
        edge = Edge(self.addCleanup)
        pin = (VECTORS / "signed.key").read_text()
        why = "not signed by a key that is pinned: there is no signature"
        with self.assertRaisesRegex(halyard.StartTimeoutError, why):
            edge.client(signing_keys=[pin], start_timeout=0.5)
        none: tuple[Sequence[str] | None, ...] = ([], (), None)
        for keys in none:
            client = edge.client(signing_keys=keys)
            self.addCleanup(client.close)
            self.assertEqual(client.string("of-text", ADA, "code"), "hello")

    def test_a_local_copy_is_used_if_it_is_signed_by_one_of_them(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        copy = Path(folder.name) / "flags.copy"
        shutil.copy(VECTORS / "signed.copy", copy)
        pin, other = (VECTORS / "signed.key").read_text(), "A" * 43
        for keys, answer in (([other, pin], "signed"), ([other], "code")):
            url = f"http://127.0.0.1:{free_port()}"
            client = halyard.Client(KEY, url, local_copy=copy, signing_keys=keys, wait=False)
            # Not closed: that would wait for the edge, to report.
            self.assertEqual(client.string("of-text", ADA, "code"), answer)

    def test_a_text_that_is_no_key_is_an_error(self) -> None:
        with self.assertRaisesRegex(halyard.SettingsError, '^the signing key "MCowBQYD"… is no Ed25519 public key'):
            halyard.Client(KEY, "http://127.0.0.1:9", signing_keys=["MCowBQYDK2VwAyEA"])
        with self.assertRaises(TypeError):
            halyard.Client(KEY, "http://127.0.0.1:9", signing_keys="one text")
