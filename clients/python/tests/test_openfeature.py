"""The provider for OpenFeature, by the events that applications see."""

from __future__ import annotations

import unittest
from datetime import datetime, timezone
from functools import partial

from openfeature import api
from openfeature.client import OpenFeatureClient
from openfeature.evaluation_context import EvaluationContext
from openfeature.event import EventDetails, ProviderEvent
from openfeature.exception import GeneralError, ProviderNotReadyError
from openfeature.provider import ProviderStatus

import halyard
from halyard.openfeature import HalyardProvider

from .support.edge import Edge
from .support.until import eventually

USER = EvaluationContext("ada", {"country": "NL"})


class Providers(unittest.TestCase):
    def setUp(self) -> None:
        self.edge = Edge(self.addCleanup)
        self.events: list[tuple[ProviderEvent, EventDetails]] = []
        self.addCleanup(api.shutdown)

    def provide(self, client: halyard.Client, timeout: float = 10.0) -> OpenFeatureClient:
        """A client of OpenFeature whose events are kept."""
        domain = self.id()
        flags = api.get_client(domain)
        for event in ProviderEvent:
            flags.add_handler(event, partial(self.keep, event))
        api.set_provider_and_wait(HalyardProvider(client, timeout=timeout), domain)
        return flags

    def keep(self, event: ProviderEvent, details: EventDetails) -> None:
        self.events.append((event, details))

    def told(self, event: ProviderEvent) -> list[EventDetails]:
        return [details for told, details in self.events if told == event]

    def test_values_of_every_type_come_with_reason_and_variant(self) -> None:
        flags = self.provide(self.edge.client())
        of_bool = flags.get_boolean_details("new-checkout", False, USER)
        self.assertEqual((of_bool.value, of_bool.reason), (True, "TARGETING_MATCH"))
        self.assertEqual(flags.get_boolean_details("of-off", True, USER).reason, "DISABLED")
        self.assertEqual(flags.get_integer_value("of-int", 0, USER), 42)
        self.assertEqual(flags.get_float_value("of-number", 0.0, USER), 2.5)
        self.assertEqual(flags.get_string_value("of-text", "", USER), "hello")
        self.assertEqual(flags.get_object_value("of-object", {}, USER), {"size": 3, "tags": ["a", None], "ratio": 0.5})
        variant = flags.get_string_details("of-variant", "", USER)
        self.assertEqual((variant.value, variant.reason, variant.variant), ("new", "SPLIT", "treatment"))
        self.assertIsInstance(variant.flag_metadata["version"], int)
        dated = EvaluationContext("ada", {"country": "NL", "born": datetime(2000, 1, 1, tzinfo=timezone.utc)})
        self.assertIs(flags.get_boolean_value("new-checkout", False, dated), True)

    def test_errors_have_their_code(self) -> None:
        flags = self.provide(self.edge.client())
        for details, value, code in [
            (flags.get_string_details("none", "code", USER), "code", "FLAG_NOT_FOUND"),
            (flags.get_integer_details("of-text", 7, USER), 7, "TYPE_MISMATCH"),
            (flags.get_object_details("of-text", {}, USER), {}, "TYPE_MISMATCH"),
            (flags.get_boolean_details("new-checkout", False), False, "TARGETING_KEY_MISSING"),
        ]:
            self.assertEqual((details.value, details.reason, details.error_code), (value, "ERROR", code))

    def test_events_tell_what_changed_and_that_the_edge_is_gone_and_back(self) -> None:
        flags = self.provide(self.edge.client())
        eventually("it is ready", lambda: self.told(ProviderEvent.PROVIDER_READY))
        self.edge.set("v1")
        changed = eventually("the change", lambda: self.told(ProviderEvent.PROVIDER_CONFIGURATION_CHANGED))
        self.assertEqual((changed[0].flags_changed, changed[0].provider_name), (["of-live"], "halyard"))
        self.assertEqual(flags.get_string_value("of-live", "", USER), "v1")
        self.edge.stop()
        stale = eventually("it is stale", lambda: self.told(ProviderEvent.PROVIDER_STALE))
        self.assertTrue(stale[0].message)
        self.assertEqual(flags.get_provider_status(), ProviderStatus.STALE)
        self.assertEqual(flags.get_string_value("of-live", "", USER), "v1")
        self.events.clear()
        self.edge.start()
        eventually("it is ready again", lambda: self.told(ProviderEvent.PROVIDER_READY))
        self.assertEqual(flags.get_provider_status(), ProviderStatus.READY)

    def test_a_local_copy_is_told_to_be_stale(self) -> None:
        copy = self.edge.folder / "flags.copy"
        self.edge.client(local_copy=copy).close()
        self.edge.stop()
        flags = self.provide(self.edge.client(local_copy=copy))
        eventually("it is stale", lambda: flags.get_provider_status() == ProviderStatus.STALE)
        self.assertEqual(flags.get_string_value("of-text", "", USER), "hello")
        # It takes the last report.
        self.edge.start()

    def test_one_that_is_refused_or_not_ready_is_an_error_until_there_are_flags(self) -> None:
        with self.assertRaises(GeneralError):
            self.provide(halyard.Client("srv_" + "1" * 48, self.edge.url, wait=False))
        self.events.clear()
        self.edge.stop()
        with self.assertRaises(ProviderNotReadyError):
            self.provide(self.edge.client(wait=False), timeout=0.1)
        eventually("it is told", lambda: self.told(ProviderEvent.PROVIDER_ERROR))
        flags = api.get_client(self.id())
        self.assertEqual(flags.get_string_value("of-text", "code", USER), "code")
        self.edge.start()
        eventually("it is ready", lambda: flags.get_provider_status() == ProviderStatus.READY)
        self.assertEqual(flags.get_string_value("of-text", "code", USER), "hello")

    def test_shutting_down_closes_the_client(self) -> None:
        client = self.edge.client()
        ended: list[bool] = []
        client.on_change(print, ended=lambda: ended.append(True))
        self.provide(client)
        api.shutdown()
        self.assertEqual(ended, [True])
