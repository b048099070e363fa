"""A provider for OpenFeature; it needs the package `openfeature-sdk`, which the extra `openfeature` brings.

    from openfeature import api
    from halyard.openfeature import HalyardProvider

    api.set_provider_and_wait(HalyardProvider(halyard.Client(key, edge)))
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

try:
    from openfeature.evaluation_context import EvaluationContext
    from openfeature.event import ProviderEventDetails
    from openfeature.exception import ErrorCode, GeneralError, ProviderNotReadyError
    from openfeature.flag_evaluation import FlagResolutionDetails, Reason
    from openfeature.provider import AbstractProvider, Metadata
except ImportError as _missing:
    raise ImportError("halyard.openfeature needs openfeature-sdk: pip install 'halyard-sdk[openfeature]'") from _missing

from halyard._native import Changed, Client, Context, Detail, Status, Subscription

if TYPE_CHECKING:
    from openfeature.flag_evaluation import FlagValueType

__all__ = ["HalyardProvider"]

T = TypeVar("T")

# The reason of OpenFeature, and ours where that is less specific; as edges answer by OFREP.
_REASONS = {
    "TARGETED": (Reason.TARGETING_MATCH, None),
    "ROLLOUT": (Reason.SPLIT, None),
    "VARIANT": (Reason.SPLIT, None),
    "DISABLED": (Reason.DISABLED, None),
    "FALLTHROUGH": (Reason.DEFAULT, None),
    "PREREQUISITE_FAILED": (Reason.DEFAULT, "PREREQUISITE_FAILED"),
    "MUTUALLY_EXCLUDED": (Reason.DEFAULT, "MUTUALLY_EXCLUDED"),
}
# OpenFeature tells READY after `initialize`, whatever was told before; what is stale is told so much later, in seconds.
_AFTER_READY = 0.1


class HalyardProvider(AbstractProvider):
    """Answers from a client, and closes it when it is shut down. If the client was started without waiting, it is ready once the
    client is, for which it waits `timeout` seconds at most. Tracking events of OpenFeature name no flag: use the client's `track`."""

    def __init__(self, client: Client, *, timeout: float = 10.0) -> None:
        super().__init__()
        self.client = client
        self._timeout = timeout
        self._subscriptions: list[Subscription] = []

    def get_metadata(self) -> Metadata:
        return Metadata(name="halyard")

    def initialize(self, evaluation_context: EvaluationContext) -> None:
        self._subscriptions = [self.client.on_change(self._changed), self.client.on_status(self._tell)]
        if not self.client.wait_until_ready(self._timeout):
            status = self.client.status
            why = status.last_error or "the edge does not answer"
            raise GeneralError(why) if status.state == "REFUSED" else ProviderNotReadyError(why)
        if self.client.status.state != "READY":
            again = threading.Timer(_AFTER_READY, self._tell_unless_ready)
            again.daemon = True
            again.start()

    def shutdown(self) -> None:
        for subscription in self._subscriptions:
            subscription.close()
        self.client.close()

    def _changed(self, changed: Changed) -> None:
        details = ProviderEventDetails(flags_changed=changed.flags, metadata={"version": changed.version})
        self.emit_provider_configuration_changed(details)

    def _tell_unless_ready(self) -> None:
        status = self.client.status
        if status.state != "READY":
            self._tell(status)

    def _tell(self, status: Status) -> None:
        if status.state == "READY":
            self.emit_provider_ready(ProviderEventDetails())
            return
        details = ProviderEventDetails(message=status.last_error)
        if status.version is not None:
            self.emit_provider_stale(details)
        elif status.last_error is not None:
            details.error_code = ErrorCode.PROVIDER_NOT_READY
            self.emit_provider_error(details)

    def resolve_boolean_details(
        self, flag_key: str, default_value: bool, evaluation_context: EvaluationContext | None = None
    ) -> FlagResolutionDetails[bool]:
        return _resolved(self.client.boolean_detail, flag_key, default_value, evaluation_context)

    def resolve_string_details(
        self, flag_key: str, default_value: str, evaluation_context: EvaluationContext | None = None
    ) -> FlagResolutionDetails[str]:
        return _resolved(self.client.string_detail, flag_key, default_value, evaluation_context)

    def resolve_integer_details(
        self, flag_key: str, default_value: int, evaluation_context: EvaluationContext | None = None
    ) -> FlagResolutionDetails[int]:
        return _resolved(self.client.integer_detail, flag_key, default_value, evaluation_context)

    def resolve_float_details(
        self, flag_key: str, default_value: float, evaluation_context: EvaluationContext | None = None
    ) -> FlagResolutionDetails[float]:
        return _resolved(self.client.number_detail, flag_key, default_value, evaluation_context)

    def resolve_object_details(
        self,
        flag_key: str,
        default_value: Sequence[FlagValueType] | Mapping[str, FlagValueType],
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[Sequence[FlagValueType] | Mapping[str, FlagValueType]]:
        answer = _resolved(self.client.json_detail, flag_key, default_value, evaluation_context)
        if answer.error_code is None and not isinstance(answer.value, (dict, list)):
            return _failed(default_value, ErrorCode.TYPE_MISMATCH)
        return answer


def _resolved(
    ask: Callable[[str, Context, T], Detail[T]], flag_key: str, default: T, given: EvaluationContext | None
) -> FlagResolutionDetails[T]:
    if given is None or given.targeting_key is None:
        return _failed(default, ErrorCode.TARGETING_KEY_MISSING, "a targeting key is required")
    detail = ask(flag_key, Context(given.targeting_key, given.attributes), default)
    if detail.error is not None:
        return _failed(default, ErrorCode(detail.error))
    reason, own = _REASONS.get(detail.reason, (Reason.UNKNOWN, detail.reason))
    metadata: dict[str, Any] = {"version": detail.version}
    if own is not None:
        metadata["reason"] = own
    return FlagResolutionDetails(detail.value, reason=reason, variant=detail.variant, flag_metadata=metadata)


def _failed(default: T, code: ErrorCode, message: str | None = None) -> FlagResolutionDetails[T]:
    return FlagResolutionDetails(default, error_code=code, error_message=message, reason=Reason.ERROR)
