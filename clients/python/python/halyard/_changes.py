"""Changes for asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from halyard._native import Changed, Client


class Changes(AsyncIterator[Changed]):
    """Changes of flags from when it was made on, for `async for`. It ends when the client is closed."""

    def __init__(self, client: Client) -> None:
        self._loop = asyncio.get_running_loop()
        self._news: asyncio.Queue[Changed | None] = asyncio.Queue()
        self._has_ended = False
        self._subscription = client.on_change(self._tell, ended=lambda: self._tell(None))

    def _tell(self, news: Changed | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._news.put_nowait, news)
        except RuntimeError:
            # The loop was closed before the subscription.
            self.close()

    def close(self) -> None:
        """Asks for no more changes."""
        self._subscription.close()

    async def __anext__(self) -> Changed:
        if not self._has_ended:
            news = await self._news.get()
            if news is not None:
                return news
            self._has_ended = True
        raise StopAsyncIteration


def changes(client: Client) -> Changes:
    """Changes of flags from now on: `async for changed in halyard.changes(client)`, in a running loop."""
    return Changes(client)
