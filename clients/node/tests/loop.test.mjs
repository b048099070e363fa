// The event loop goes on.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADA, startClient } from './support/client.mjs';
import { startEdge } from './support/edge.mjs';

test('the loop goes on while a client starts, and while it waits to report', async t => {
  const edge = await startEdge(t);
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  t.after(() => clearInterval(timer));
  const { client } = await startClient(edge);
  assert.ok(turns > 0);
  client.boolean('new-checkout', ADA, false);
  await edge.stop();
  turns = 0;
  const began = Date.now();
  await client.close();
  const took = Date.now() - began;
  assert.ok(turns > 100, `${turns} turns in ${took} ms`);
  assert.ok(took < 8_000, `${took} ms`);
});
