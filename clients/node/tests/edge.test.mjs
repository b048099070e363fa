// With an edge: what it serves, its changes, and its absence.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Client, StartError } from '@halyard/node';
import { ADA, BOB, startClient } from './support/client.mjs';
import { KEY, startEdge } from './support/edge.mjs';
import { eventually } from './support/until.mjs';

test('values are of the type that is asked for, or the fallback', async t => {
  const { client } = await startClient(await startEdge(t));
  assert.equal(client.boolean('new-checkout', ADA, false), true);
  assert.equal(client.boolean('new-checkout', BOB, true), false);
  assert.equal(client.boolean('new-checkout', { key: 'ada', attributes: { country: 'NL' } }, false), true);
  assert.equal(client.string('of-text', ADA, 'none'), 'hello');
  assert.equal(client.string('of-empty-text', ADA, 'none'), '');
  assert.equal(client.number('of-number', ADA, 0), 2.5);
  assert.deepEqual(client.json('of-object', ADA, null), { size: 3, tags: ['a', 'b'] });
  assert.equal(client.json('of-number', ADA, null), 2.5);
  assert.equal(client.boolean('of-text', ADA, true), true);
  assert.equal(client.string('of-number', ADA, 'none'), 'none');
  assert.equal(client.number('of-text', ADA, 7), 7);
  const fallback = { is: 'mine' };
  assert.equal(client.json('absent', ADA, fallback), fallback);
  assert.ok(client.flagKeys.includes('of-live') && client.flagKeys.length === 8);
});

test('details say why', async t => {
  const { client } = await startClient(await startEdge(t));
  const { version } = client.status;
  assert.ok(Number.isInteger(version));
  const detail = (value, reason, more = {}) => ({ value, reason, version, ...more });
  assert.deepEqual(client.booleanDetail('new-checkout', ADA, false), detail(true, 'TARGETED'));
  assert.deepEqual(client.booleanDetail('of-off', ADA, true), detail(false, 'DISABLED'));
  assert.deepEqual(client.numberDetail('of-number', ADA, 0), detail(2.5, 'FALLTHROUGH'));
  assert.deepEqual(
    client.stringDetail('of-variant', ADA, ''),
    detail('new', 'VARIANT', { variant: 'treatment' }),
  );
  const object = { size: 3, tags: ['a', 'b'] };
  assert.deepEqual(client.jsonDetail('of-object', ADA, null), detail(object, 'FALLTHROUGH'));
  for (const [answer, value] of [
    [client.booleanDetail('of-text', ADA, true), true],
    [client.numberDetail('of-text', ADA, 7), 7],
    [client.stringDetail('of-number', ADA, 'x'), 'x'],
  ])
    assert.deepEqual(answer, detail(value, 'ERROR', { error: 'TYPE_MISMATCH' }));
  const absent = detail('x', 'NOT_FOUND', { error: 'FLAG_NOT_FOUND' });
  assert.deepEqual(client.stringDetail('absent', ADA, 'x'), absent);
});

test('a change is told while the client listens, and an edge that is killed and comes back', async t => {
  const edge = await startEdge(t);
  const { client, told, live } = await startClient(edge);
  assert.equal(live(), 'v0');
  edge.set('v1');
  await eventually('the change is told', () => told.change.length > 0);
  assert.equal(live(), 'v1');
  assert.deepEqual(told.change[0], { version: client.status.version, flags: ['of-live'] });

  await edge.stop();
  await eventually('it is stale', () => told.status.some(({ state }) => state === 'stale'));
  assert.equal(live(), 'v1');
  const { since, lastError } = client.status;
  assert.ok(Date.now() - since < 60_000 && lastError.length > 0);

  edge.set('v2');
  await edge.start();
  await eventually('it is ready', () => client.status.state === 'ready' && live() === 'v2');
  await eventually('that is told', () => told.status.at(-1).state === 'ready');
  assert.deepEqual(told.change.at(-1).flags, ['of-live']);
});

test('nothing is told to who stopped listening, and the others hear of it also if one throws', async t => {
  const edge = await startEdge(t);
  const { client, told, live } = await startClient(edge);
  const heard = [];
  const stop = client.on('change', () => heard.push(live()));
  const thrown = [];
  const before = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', why => thrown.push(why.message));
  t.after(() => {
    process.removeAllListeners('uncaughtException');
    for (const listener of before) process.on('uncaughtException', listener);
  });
  client.on('change', () => {
    throw new Error('mine');
  });
  client.on('change', () => heard.push('after'));
  edge.set('v1');
  await eventually('all heard', () => heard.length === 2 && thrown.length === 1);
  assert.deepEqual([heard, thrown], [['v1', 'after'], ['mine']]);
  stop();
  edge.set('v2');
  await eventually('the others heard', () => heard.length === 3);
  assert.equal(told.change.length, 2);
  await client.close();
  edge.set('v3');
  await assert.rejects(eventually('nobody hears', () => told.change.length > 2, 500));
});

test('a key that is refused is one clear error', async t => {
  const { url } = await startEdge(t);
  const refused = Client.start({ key: 'srv_other', url });
  await assert.rejects(refused, why => {
    assert.ok(why instanceof StartError && why instanceof Error);
    assert.equal(why.code, 'REFUSED');
    assert.match(why.message, /^the API key is refused: /);
    return true;
  });
});

test('settings that cannot be used are errors', async () => {
  const url = 'http://127.0.0.1:1';
  for (const settings of [
    { key: 'cli_x', url },
    { key: KEY, url: 'edge' },
    { key: KEY, url, startTimeout: -1 },
    { key: KEY, url, usageInterval: Number.NaN },
  ])
    await assert.rejects(Client.start(settings), { code: 'SETTINGS' });
  await assert.rejects(Client.start({ key: KEY, url, startTimeout: 50 }), { code: 'TIMEOUT' });
  await assert.rejects(Client.fromFile('/no/such/file'), { code: 'FILE' });
  assert.throws(() => new Client({}), TypeError);
});

test('without waiting there are fallbacks until there are flags', async t => {
  const edge = await startEdge(t);
  await edge.stop();
  const { client, told, live } = await startClient(edge, { wait: false, startTimeout: undefined });
  assert.deepEqual(client.stringDetail('of-live', ADA, 'none'), {
    value: 'none',
    reason: 'ERROR',
    error: 'PROVIDER_NOT_READY',
  });
  assert.equal(client.status.state, 'not-ready');
  await edge.start();
  await eventually('there are flags', () => live() === 'v0');
  await eventually('that is told', () => told.status.at(-1)?.state === 'ready');
  assert.ok(told.change[0].flags.includes('of-live'));
});

test('a local copy is enough to start, with nothing else running, or alone', async t => {
  const edge = await startEdge(t);
  const { client } = await startClient(edge, { localCopy: edge.copy });
  await eventually('it is written', () => existsSync(edge.copy));
  await client.close();
  await edge.stop();
  // Not closed: that would wait for the edge, to report.
  const later = await Client.start({ key: KEY, url: edge.url, localCopy: edge.copy });
  assert.equal(later.string('of-live', ADA, 'none'), 'v0');
  assert.equal(later.status.state, 'stale');
  const alone = await Client.fromFile(edge.copy);
  assert.equal(alone.boolean('new-checkout', ADA, false), true);
  assert.equal(alone.status.state, 'ready');
});

test('what was asked and shown is reported by close', async t => {
  const edge = await startEdge(t);
  const client = await Client.start({ key: KEY, url: edge.url });
  for (let times = 0; times < 3; times += 1) client.boolean('new-checkout', ADA, false);
  client.track('of-variant', 'treatment', 'ada');
  await Promise.all([client.close(), client.close()]);
  assert.equal(client.tracksDropped, 0);
  assert.equal(client.boolean('new-checkout', ADA, false), true);
  const isWritten = text => existsSync(edge.usage) && readFileSync(edge.usage, 'utf8').includes(text);
  await eventually('it is written', () => isWritten('new-checkout') && isWritten('treatment'));
});
