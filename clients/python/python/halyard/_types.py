"""Types that calls take and give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, Union

if TYPE_CHECKING:
    from halyard._native import Context


class ContextDict(TypedDict, total=False):
    """A context in the form of the API."""

    key: str
    attributes: Mapping[str, Any]


# A context that is prepared, a key alone, or nobody.
AnyContext: TypeAlias = Union["Context", ContextDict, str, None]

Reason: TypeAlias = Literal[
    "NOT_FOUND",
    "MUTUALLY_EXCLUDED",
    "PREREQUISITE_FAILED",
    "DISABLED",
    "TARGETED",
    "ROLLOUT",
    "VARIANT",
    "FALLTHROUGH",
    "ERROR",
]
ErrorKind: TypeAlias = Literal["PROVIDER_NOT_READY", "FLAG_NOT_FOUND", "TYPE_MISMATCH", "GENERAL"]
State: TypeAlias = Literal["NOT_READY", "READY", "STALE", "REFUSED"]
