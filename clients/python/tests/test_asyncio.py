"""Waiting for changes in a loop."""

from __future__ import annotations

import asyncio
import unittest

import halyard

from .support.edge import ADA, Edge


class Loops(unittest.IsolatedAsyncioTestCase):
    async def test_changes_are_told_in_the_loop_until_the_client_is_closed(self) -> None:
        edge = await asyncio.to_thread(Edge, self.addCleanup)
        client = await asyncio.to_thread(edge.client)
        values = []

        async def follow() -> None:
            async for changed in halyard.changes(client):
                self.assertEqual(changed.flags, ["of-live"])
                values.append(client.string("of-live", ADA, ""))
                edge.set(f"v{len(values) + 1}")
                if len(values) == 3:
                    await asyncio.to_thread(client.close)

        following = asyncio.create_task(follow())
        await asyncio.sleep(0)
        edge.set("v1")
        await asyncio.wait_for(following, 20)
        self.assertEqual(values, ["v1", "v2", "v3"])

    async def test_of_a_client_that_is_closed_there_are_none(self) -> None:
        edge = await asyncio.to_thread(Edge, self.addCleanup)
        client = await asyncio.to_thread(edge.client)
        await asyncio.to_thread(client.close)
        self.assertEqual([changed async for changed in halyard.changes(client)], [])
