// What the library knows by numbers: keys, contexts and clients. Who asks does not notice.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { Client, Context } from '@halyard/node';
import { ADA, BOB, startClient } from './support/client.mjs';
import { KEY, startEdge } from './support/edge.mjs';
import { eventually, sleep } from './support/until.mjs';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

test('more keys than are remembered, and long ones, have their answers, and all are counted', async t => {
  const edge = await startEdge(t);
  const { client } = await startClient(edge);
  const ROUNDS = 25_000;
  for (let round = 0; round < ROUNDS; round += 1) {
    assert.equal(client.boolean(`made-up-${round}`, ADA, round % 2 === 0), round % 2 === 0);
    assert.equal(client.boolean('new-checkout', round % 5 === 0 ? BOB : ADA, false), round % 5 !== 0);
    if (round % 1_000 === 0) assert.equal(client.string('x'.repeat(256 + round), ADA, 'none'), 'none');
    if (round % 100 === 0) assert.equal(client.string('of-text', ADA, 'none'), 'hello');
  }
  await client.close();
  const all = 2 * ROUNDS + ROUNDS / 1_000 + ROUNDS / 100;
  const counts = await eventually('all are written', () => {
    const counts = counted(edge.usage);
    return counts.get('all') >= all && counts;
  });
  assert.equal(counts.get('all'), all);
  assert.equal(counts.get('new-checkout true'), (ROUNDS / 5) * 4);
  assert.equal(counts.get('new-checkout false'), ROUNDS / 5);
  assert.equal(counts.get('of-text "hello"'), ROUNDS / 100);
});

/** How often each flag had each answer, by the edge's file. */
function counted(file) {
  const counts = new Map();
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
  for (const line of lines) {
    const { flag, value, count } = JSON.parse(line);
    for (const name of ['all', `${flag} ${value}`]) counts.set(name, (counts.get(name) ?? 0) + count);
  }
  return counts;
}

test('clients do not share the numbers of keys', async t => {
  const [first, second] = [await startEdge(t), await startEdge(t)];
  second.set('other');
  const { client: one } = await startClient(first);
  const { client: two, live } = await startClient(second);
  await eventually('the other has its value', () => live() === 'other');
  const keys = ['of-text', 'of-live', 'of-variant', 'of-empty-text'];
  const asked = (client, keys) => Object.fromEntries(keys.map(key => [key, client.string(key, ADA, 'none')]));
  const expected = { 'of-text': 'hello', 'of-live': 'v0', 'of-variant': 'new', 'of-empty-text': '' };
  assert.deepEqual(asked(one, keys), expected);
  assert.deepEqual(asked(two, keys.toReversed()), { ...expected, 'of-live': 'other' });
  assert.deepEqual(asked(one, keys.toReversed()), expected);
});

test('an object is a context for the one who asks with it', async t => {
  const { client } = await startClient(await startEdge(t));
  const dutch = { key: 'ada', attributes: { country: 'NL' } };
  const belgian = { key: 'bob', attributes: { country: 'BE' } };
  for (const [context, expected] of [
    [dutch, true],
    [belgian, false],
    [ADA, true],
    [belgian, false],
    [BOB, false],
    [dutch, true],
  ])
    assert.equal(client.boolean('new-checkout', context, !expected), expected);
  // One that asks while it is read.
  const answers = [];
  const asking = {
    key: 'eve',
    attributes: {
      toJSON: () => answers.push(client.boolean('new-checkout', belgian, true)) && { country: 'NL' },
    },
  };
  assert.equal(client.boolean('new-checkout', asking, false), true);
  assert.deepEqual(answers, [false]);
  // After one that is none, the one before answers for nobody.
  client.boolean('new-checkout', dutch, false);
  assert.equal(client.boolean('new-checkout', { key: 7 }, false), false);
  assert.equal(client.booleanDetail('new-checkout', { key: 7 }, false).error, 'INVALID_CONTEXT');
  assert.equal(client.boolean('new-checkout', null, false), false);
  assert.throws(() => client.boolean(7, ADA, false));
});

test('a closed client answers for keys and contexts that it has not seen', async t => {
  const { client } = await startClient(await startEdge(t));
  await client.close();
  const late = new Context('late', { country: 'NL' });
  assert.equal(client.boolean('new-checkout', late, false), true);
  assert.equal(client.string('of-text', { key: 'later' }, 'none'), 'hello');
  assert.equal(client.numberDetail('of-number', late, 0).value, 2.5);
});

test('a context that another thread is sent is an object there', async t => {
  const { url } = await startEdge(t);
  const thread = new Worker(join(import.meta.dirname, 'programs/sent.mjs'), {
    workerData: { key: KEY, url, contexts: [ADA, BOB, ADA] },
  });
  const [answers] = await once(thread, 'message');
  assert.deepEqual(answers, [true, false, true]);
  await once(thread, 'exit');
});

test('contexts that nobody holds are given back, and the others answer as before', async t => {
  const { client } = await startClient(await startEdge(t));
  const kept = [new Context('a', { country: 'NL' }), new Context('b', { country: 'BE' })];
  // Each element takes more here than in JSON.
  const tags = new Array(2_000).fill(0);
  const fill = async () => {
    for (let number = 0; number < 500; number += 1) new Context(`user-${number}`, { tags });
    collect();
    await sleep(20);
  };
  await fill();
  const before = process.memoryUsage.rss();
  for (let round = 0; round < 6; round += 1) await fill();
  const grown = (process.memoryUsage.rss() - before) / 1e6;
  // Held, they would take 200 MB.
  assert.ok(grown < 100, `${grown} MB`);
  const late = new Context('c', { country: 'NL' });
  const answers = [...kept, late, ADA].map(user => client.boolean('new-checkout', user, false));
  assert.deepEqual(answers, [true, false, true, true]);
});

test('the connections of a client end with who holds it, and with its thread', async t => {
  const edge = await startEdge(t);
  const { url, open } = await startRelay(t, edge.url);
  const thread = new Worker(join(import.meta.dirname, 'programs/thread.mjs'), {
    workerData: { key: KEY, url },
  });
  await once(thread, 'message');
  assert.ok(open.size > 0);
  await thread.terminate();
  await eventually('those of the thread end', () => open.size === 0);

  const ask = async () => (await Client.start({ key: KEY, url })).boolean('new-checkout', ADA, false);
  assert.equal(await ask(), true);
  assert.ok(open.size > 0);
  await eventually('those of nobody end', () => {
    collect();
    return open.size === 0;
  });
});

/** Passes connections on to an edge, and knows those that are open. */
async function startRelay(t, edge) {
  const open = new Set();
  const server = createServer(from => {
    open.add(from);
    const to = connect(new URL(edge).port, '127.0.0.1');
    from.pipe(to).pipe(from);
    for (const socket of [from, to])
      socket
        .on('error', () => {})
        .on('close', () => {
          from.destroy();
          to.destroy();
          open.delete(from);
        });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${server.address().port}`, open };
}
