"""An edge of its own for a test, which serves a file that the test rewrites."""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import halyard

from .until import eventually

KEY = "srv_000000000000000000000000000000000000000000000000"
ADA = halyard.Context("ada", country="NL")
BOB = halyard.Context("bob", country="BE")


def flags(live: str) -> dict[str, Any]:
    """Those that tests ask for; `live` is the value of the one that changes."""
    in_nl = {"conditions": [{"attribute": "country", "operator": "eq", "values": ["NL"]}]}
    variants = [{"key": "treatment", "value": "new", "weight": 10000}]
    value = {"size": 3, "tags": ["a", None], "ratio": 0.5}
    return {
        "environments": [{"slug": "dev"}],
        "flags": {
            "new-checkout": _on({}, {"rules": [in_nl]}),
            "of-off": {"environments": {"dev": {"enabled": False}}},
            "of-text": _on({"flag_type": "string", "default_value": "off"}, {"default_value": "hello"}),
            "of-number": _on({"flag_type": "number", "default_value": 0}, {"default_value": 2.5}),
            "of-int": _on({"flag_type": "number", "default_value": 0}, {"default_value": 42}),
            "of-object": _on({"flag_type": "json", "default_value": {}}, {"default_value": value}),
            "of-variant": _on({"flag_type": "ab", "default_value": "none"}, {"variants": variants}),
            "of-live": _on({"flag_type": "string", "default_value": "off"}, {"default_value": live}),
        },
    }


def _on(flag: dict[str, Any], state: dict[str, Any]) -> dict[str, Any]:
    return {**flag, "environments": {"dev": {"enabled": True, **state}}}


class Edge:
    """A running `halyard-edge --flags`; it ends with the test, or the class of tests, whose method for it this is given."""

    def __init__(self, add_cleanup: Callable[..., object]) -> None:
        folder = tempfile.TemporaryDirectory(prefix="halyard-python-")
        add_cleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None
        self.set("v0")
        add_cleanup(self.stop)
        self.start()

    def set(self, live: str) -> None:
        """Changes the flag that lives."""
        new = self.folder / "new"
        new.write_text(json.dumps(flags(live)))
        new.replace(self.folder / "flags.json")

    def start(self) -> None:
        """Starts it, on the port that it had."""
        program = Path(os.environ["HALYARD_BIN_DIR"]) / "halyard-edge"
        ours = {
            "EDGE_HTTP_ADDR": f"127.0.0.1:{self.port}",
            "EDGE_ADMIN_ADDR": "127.0.0.1:0",
            "EDGE_FLAGS_KEYS": f"dev={KEY}",
            "EDGE_FLAGS_USAGE": str(self.folder / "usage"),
            "SHUTDOWN_DELAY": "0",
            "SSE_RETRY": "50ms",
            "SSE_HEARTBEAT": "200ms",
        }
        others = ("EDGE_UPSTREAM", "EDGE_IDENTITY", "EDGE_CACHE_DIR")
        env = {name: value for name, value in os.environ.items() if name not in others}
        self.process = subprocess.Popen(
            [program, "--flags", self.folder / "flags.json"],
            env={**env, **ours},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        eventually("the edge answers", self.answers)

    def answers(self) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/health")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def stop(self) -> None:
        """Kills it."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def shut_down(self) -> None:
        """Ends it in good order: what it was told of usage is written."""
        assert self.process is not None
        self.process.terminate()
        self.process.wait()

    def usage(self) -> str:
        """All that was reported to it, as it wrote it down."""
        path = self.folder / "usage"
        files = sorted(path.rglob("*")) if path.is_dir() else [path] if path.exists() else []
        return "".join(file.read_text() for file in files if file.is_file())

    def client(self, **settings: Any) -> halyard.Client:
        """One that asks it."""
        return halyard.Client(KEY, self.url, **settings)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port
