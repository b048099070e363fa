"""A hook for OpenFeature that tells an edge which defaults the code has, with whichever provider.

    from openfeature import api
    from halyard.defaults import DefaultsHook

    api.add_hooks([DefaultsHook(key, edge, service="shop")])
"""

from __future__ import annotations

import json
import logging
import threading
import urllib.request
from typing import TYPE_CHECKING, Any

try:
    from openfeature.hook import Hook
except ImportError as _missing:
    raise ImportError("halyard.defaults needs openfeature-sdk: pip install 'halyard-sdk[openfeature]'") from _missing

if TYPE_CHECKING:
    from openfeature.flag_evaluation import FlagEvaluationDetails, FlagValueType
    from openfeature.hook import HookContext, HookHints

__all__ = ["DefaultsHook"]

# Defaults that are kept until the next report, and the most characters of one as JSON.
_MOST = 500
_LONGEST = 1_000
# Seconds for a report.
_PATIENCE = 5.0

_log = logging.getLogger("halyard")


class DefaultsHook(Hook):
    """Counts which defaults evaluations have, and how many answers had another value: what would change in an outage. Tells an edge
    every `interval` seconds, by a thread of its own, so that no evaluation waits or fails."""

    def __init__(self, key: str, edge: str, *, service: str = "", interval: float = 10.0) -> None:
        self._request = urllib.request.Request(
            edge.rstrip("/") + "/v1/defaults",
            headers={"Content-Type": "application/json", "X-API-Key": key},
            method="POST",
        )
        self._service = service
        self._interval = interval
        self._counts: dict[tuple[str, str], list[int]] = {}
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="halyard-defaults", daemon=True)
        self._thread.start()

    def after(
        self, hook_context: HookContext, details: FlagEvaluationDetails[FlagValueType], hints: HookHints
    ) -> None:
        """Of answers alone: where there was none, the default was used already."""
        if details.error_code is not None:
            return
        default = hook_context.default_value
        try:
            told = json.dumps(default, sort_keys=True)
        except (TypeError, ValueError):
            return
        if len(told) > _LONGEST:
            return
        with self._lock:
            count = self._counts.get((details.flag_key, told))
            if count is None:
                if len(self._counts) >= _MOST:
                    return
                count = self._counts[details.flag_key, told] = [0, 0]
            count[0] += 1
            count[1] += details.value != default

    def flush(self) -> None:
        """Tells what was counted. What does not arrive is lost: the next report says the same."""
        with self._lock:
            counts, self._counts = self._counts, {}
        if not counts:
            return
        defaults: list[dict[str, Any]] = [
            {"flag_key": flag_key, "default": json.loads(told), "answers": answers, "differing": differing}
            for (flag_key, told), (answers, differing) in counts.items()
        ]
        body = json.dumps({"service": self._service, "defaults": defaults}).encode()
        try:
            with urllib.request.urlopen(self._request, body, timeout=_PATIENCE):
                pass
        except OSError as why:
            _log.debug("defaults were not told: %s", why)

    def close(self) -> None:
        """Tells the rest, and ends the thread."""
        self._closed.set()
        self._thread.join()
        self.flush()

    def _run(self) -> None:
        while not self._closed.wait(self._interval):
            self.flush()
