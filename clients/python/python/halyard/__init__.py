"""Feature flags of Halyard, evaluated in your own process.

A Client holds all flags of an environment in memory, is told of changes by an edge, and answers from memory, with or without
network. What it answered is reported once a minute.

    with halyard.Client("srv_…", "https://edge.example.com") as client:
        user = halyard.Context("user-1", plan="pro")
        if client.boolean("new-checkout", user, False):
            ...
"""

import atexit
import os

from halyard._changes import Changes, changes
from halyard._native import (
    Changed,
    Client,
    Context,
    Detail,
    FileError,
    HalyardError,
    RefusedError,
    SettingsError,
    StartTimeoutError,
    Status,
    Subscription,
    at_exit,
    forked,
)
from halyard._types import AnyContext, ContextDict, ErrorKind, Reason, State

__all__ = [
    "AnyContext",
    "Changed",
    "Changes",
    "Client",
    "Context",
    "ContextDict",
    "Detail",
    "ErrorKind",
    "FileError",
    "HalyardError",
    "Reason",
    "RefusedError",
    "SettingsError",
    "StartTimeoutError",
    "State",
    "Status",
    "Subscription",
    "changes",
]

atexit.register(at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forked)
