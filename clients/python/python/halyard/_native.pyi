"""What is written in Rust (src/)."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from os import PathLike
from types import GenericAlias, TracebackType
from typing import Any, Generic, TypeVar, final

from typing_extensions import Self

from halyard._types import AnyContext, ErrorKind, Reason, State

__all__ = [
    "Changed",
    "Client",
    "Context",
    "Detail",
    "FileError",
    "HalyardError",
    "RefusedError",
    "SettingsError",
    "StartTimeoutError",
    "Status",
    "Subscription",
    "at_exit",
    "forked",
]

_D = TypeVar("_D")
_V_co = TypeVar("_V_co", covariant=True)

class HalyardError(Exception):
    """Why a client did not start."""

class SettingsError(HalyardError):
    """A setting cannot be used."""

class RefusedError(HalyardError):
    """The edge refuses the API key."""

class StartTimeoutError(HalyardError):
    """The edge gave no flags in time, and there is no local copy."""

class FileError(HalyardError):
    """A file is not there, or is damaged."""

@final
class Context:
    """Whom flags are evaluated for, prepared once for any number of evaluations: a key, by which percentages are drawn, and
    attributes, which rules test: texts, numbers, booleans, and lists of these. Dates and times are told as texts of RFC 3339, and
    anything that JSON has nothing for by its `str()`. Nothing that is given raises."""

    def __new__(cls, key: str, attributes: Mapping[str, Any] | None = None, /, **named: Any) -> Self: ...
    @property
    def key(self) -> str:
        """The key."""

@final
class Detail(Generic[_V_co]):
    """An answer, and why it was given."""

    @property
    def value(self) -> _V_co:
        """The value of the flag, or the default of the caller if there is an error."""
    @property
    def reason(self) -> Reason:
        """Why."""
    @property
    def variant(self) -> str | None:
        """The variant served, if the flag has variants and one of them was."""
    @property
    def version(self) -> int | None:
        """The version of the environment that answered; None while none is held."""
    @property
    def error(self) -> ErrorKind | None:
        """Why the flag was not answered for as it should be. With any but GENERAL the default of the caller is the answer."""
    @classmethod
    def __class_getitem__(cls, key: Any) -> GenericAlias: ...

@final
class Status:
    """How a client is doing."""

    @property
    def state(self) -> State:
        """NOT_READY: nothing is held. READY: what is held is what the edge serves. STALE: it may be old, since there is no edge
        now. REFUSED: the edge refuses the API key, and what is held goes on answering."""
    @property
    def since(self) -> datetime | None:
        """When the edge was last heard of, in UTC, if the state is STALE."""
    @property
    def version(self) -> int | None:
        """The version that answers; None while nothing is held."""
    @property
    def last_error(self) -> str | None:
        """What last went wrong, for people. It stays when things are well again."""

@final
class Changed:
    """Flags may answer differently now."""

    @property
    def version(self) -> int:
        """The version that answers."""
    @property
    def flags(self) -> list[str]:
        """The keys of the flags that were added, removed or changed, or that refer to a segment of which this is true; sorted."""

@final
class Subscription:
    """A listener that can be removed, also by `with`."""

    def close(self) -> None:
        """Removes the listener; a call of it that is under way goes on."""
    def __enter__(self) -> Self: ...
    def __exit__(
        self, exception: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...

@final
class Client:
    """Answers for flags from memory. Getters take no lock of others, never wait and never raise: they answer with the default that
    is given, the same object, if there is no such flag, its value is of another type, or no flags are there yet.

    In the child of a fork, a client that was started before answers with what it held, is not updated and reports nothing, and its
    status says so. Start another one after the fork."""

    def __new__(
        cls,
        server_key: str,
        edge_url: str,
        *,
        local_copy: str | PathLike[str] | None = None,
        environment_id: str | None = None,
        signing_keys: Sequence[str] | None = None,
        wait: bool = True,
        start_timeout: float = 10.0,
        usage_interval: float = 60.0,
        stream_silence: float = 60.0,
        application: str = "",
    ) -> Self:
        """Starts a client of an edge, and waits until there are flags to answer from: `start_timeout` seconds at most, and not at
        all with a local copy or without `wait`. Other threads go on meanwhile; in asyncio, start it by `asyncio.to_thread`.

        `local_copy` is a file that keeps what is held, and from which the next start begins with or without network; one for each
        environment. With `environment_id` and `signing_keys`, nothing is used that is not of this environment, or that none of these
        keys signed: a UUID, as the API shows it, and the `x` of keys that the control plane lists at
        /.well-known/halyard/signing-keys. `usage_interval` is how often usage is reported. A stream of changes without a sign of
        life for `stream_silence` is opened again; that has to be longer than the edge's SSE_HEARTBEAT. `application` is a name
        for the logs of proxies.

        Raises SettingsError, RefusedError or StartTimeoutError, all HalyardError."""
    @staticmethod
    def from_file(path: str | PathLike[str]) -> Client:
        """A client without network that answers from a file, as `local_copy` writes it. Nothing is reported. Raises FileError if
        there is no such file, or it is damaged."""
    def boolean(self, key: str, context: AnyContext, default: _D) -> bool | _D:
        """The value of a boolean flag."""
    def number(self, key: str, context: AnyContext, default: _D) -> float | _D:
        """The value of a flag that is a number."""
    def integer(self, key: str, context: AnyContext, default: _D) -> int | _D:
        """The value of a flag that is a whole number of 64 bits."""
    def string(self, key: str, context: AnyContext, default: _D) -> str | _D:
        """The value of a flag that is a text."""
    def json(self, key: str, context: AnyContext, default: Any) -> Any:
        """The value of any flag, as `json.loads` gives it. It is a copy that may be changed."""
    def boolean_detail(self, key: str, context: AnyContext, default: _D) -> Detail[bool | _D]:
        """`boolean`, and why."""
    def number_detail(self, key: str, context: AnyContext, default: _D) -> Detail[float | _D]:
        """`number`, and why."""
    def integer_detail(self, key: str, context: AnyContext, default: _D) -> Detail[int | _D]:
        """`integer`, and why."""
    def string_detail(self, key: str, context: AnyContext, default: _D) -> Detail[str | _D]:
        """`string`, and why."""
    def json_detail(self, key: str, context: AnyContext, default: Any) -> Detail[Any]:
        """`json`, and why."""
    def track(self, flag_key: str, variant_key: str, user_key: str) -> None:
        """Tells that a variant of a flag was shown to a user; it is reported with the next usage. Up to 10,000 wait, of which the
        oldest give way."""
    @property
    def tracks_dropped(self) -> int:
        """How many calls of `track` are lost, because too many waited or a key was longer than 2,048 bytes."""
    @property
    def status(self) -> Status:
        """How the client is doing."""
    def flag_keys(self) -> list[str]:
        """The keys of all flags, sorted; empty while nothing is held."""
    def wait_until_ready(self, timeout: float = 10.0, /) -> bool:
        """Waits until there are flags to answer from, for so many seconds at most or until the key is refused; whether there are."""
    def on_change(
        self, listener: Callable[[Changed], object], *, ended: Callable[[], object] | None = None
    ) -> Subscription:
        """Calls a function with each change from now on, until the subscription or the client is closed; `ended` is called when
        the client is. It is called by a thread of the SDK, never by two at a time: be quick, or hand the news over, as
        `halyard.changes` does for asyncio. If changes wait for long, all flags are told as changed. Exceptions are logged."""
    def on_status(
        self, listener: Callable[[Status], object], *, ended: Callable[[], object] | None = None
    ) -> Subscription:
        """The same with each new state, and each new error."""
    def close(self) -> None:
        """Ends what keeps the client up to date, after a last report of what was counted if the edge takes it within five seconds.
        Answers are given as before."""
    def __enter__(self) -> Self: ...
    def __exit__(
        self, exception: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Closes the client."""

def forked() -> None: ...
def at_exit() -> None: ...
