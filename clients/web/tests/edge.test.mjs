// The client at a real edge, by each of the two ways to ask it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { ADA, BOB, make, memory } from './support/client.mjs';
import { startEdge } from './support/edge.mjs';
import { eventually, sleep } from './support/until.mjs';

const WAYS = { OFREP: {}, 'client flags': { environment: 'dev' } };

for (const [way, options] of Object.entries(WAYS)) {
  describe(`by the path of ${way}`, () => {
    test('every type has its value, and anything else is the fallback', async t => {
      const { url } = await startEdge(t);
      const { client } = make(t, url, options);
      assert.equal(client.boolean('new-checkout', false), false);
      assert.equal(client.detail('new-checkout', false).error, 'NOT_READY');
      assert.equal(await client.ready(), 'current');
      assert.equal(client.boolean('new-checkout', false), true);
      assert.equal(client.string('of-text', ''), 'hello');
      assert.equal(client.number('of-number', 0), 2.5);
      assert.deepEqual(client.json('of-object', {}), { size: 3, tags: ['a', 'b'] });
      assert.deepEqual(client.json('of-list', []), [1, 2]);
      assert.deepEqual(client.json('of-list', null), [1, 2]);

      for (const [value, told] of [
        [client.string('new-checkout', 'x'), client.detail('new-checkout', 'x')],
        [client.number('of-text', 'x'), client.detail('of-text', 1)],
        [client.boolean('of-object', 'x'), client.detail('of-object', true)],
        [client.json('of-text', 'x'), client.detail('of-text', {})],
        [client.json('of-list', 'x'), client.detail('of-list', {})],
      ]) {
        assert.equal(value, 'x');
        assert.equal(told.error, 'TYPE_MISMATCH');
      }
      for (const key of ['of-nowhere', 'constructor', '__proto__', '', undefined])
        assert.deepEqual(client.detail(key, 'code'), {
          value: 'code',
          reason: 'ERROR',
          error: 'FLAG_NOT_FOUND',
        });
      assert.equal(Object.keys(client.all()).length, 8);
      assert.equal(client.all()['of-variant'], 'new');
    });

    test('what is handed out cannot be changed by one user for another', async t => {
      const { url } = await startEdge(t);
      const { client } = make(t, url, options);
      await client.ready();
      const held = client.json('of-object', {});
      assert.throws(() => held.tags.push('c'), TypeError);
      assert.throws(() => {
        held.size = 4;
      }, TypeError);
      assert.equal(client.json('of-object', {}), held);
    });

    test('a change is told by the stream, fetched once, and only what changed is named', async t => {
      const { url, set } = await startEdge(t);
      const { client, events, statuses } = make(t, url, options);
      await client.ready();
      await eventually('the stream is open', () => statuses('/stream').includes(200));
      const object = client.json('of-object', {});
      const before = statuses('/flags').length;
      set('v1');
      await eventually('the client has it', () => client.string('of-live', '') === 'v1');
      set('v2');
      await eventually('the client has it', () => client.string('of-live', '') === 'v2');
      assert.equal(events.change[0].length, 8);
      assert.deepEqual(events.change.slice(1), [['of-live'], ['of-live']]);
      assert.equal(client.json('of-object', {}), object, 'what did not change is the same object');
      assert.ok(
        statuses('/flags')
          .slice(before)
          .filter(status => status === 200).length <= 2,
      );
      assert.equal(statuses('/stream').length, 1);
      assert.deepEqual(events.error, []);
    });

    test('a kept tag is sent, and 304 leaves what is there', async t => {
      const { url } = await startEdge(t);
      const storage = memory();
      const first = make(t, url, { ...options, storage });
      await first.client.ready();
      first.client.close();

      const second = make(t, url, { ...options, storage });
      assert.equal(second.client.status, 'stored');
      assert.equal(second.client.boolean('new-checkout', false), true, 'at once');
      await eventually('it was asked again', () => second.client.status === 'current');
      assert.equal(second.statuses('/flags')[0], 304);
      assert.equal(second.client.string('of-text', ''), 'hello');
      await eventually('changes are told', () => second.statuses('/stream').includes(200));
    });

    test('without the edge what was kept is served, and what the edge has once it is back', async t => {
      const edge = await startEdge(t);
      const storage = memory();
      const first = make(t, edge.url, { ...options, storage });
      await first.client.ready();
      await edge.stop();
      await eventually('the loss is noticed', () => first.client.status === 'stale');
      assert.equal(first.client.string('of-live', ''), 'v0');
      assert.deepEqual(first.codes(), ['UNREACHABLE']);

      const second = make(t, edge.url, { ...options, storage });
      await eventually('it cannot be asked', () => second.client.status === 'stale');
      assert.equal(second.client.string('of-live', ''), 'v0');

      edge.set('v1');
      await edge.start();
      for (const { client } of [first, second])
        await eventually('the client has it', () => client.string('of-live', '') === 'v1');
    });

    test('an edge that is replaced is asked again', async t => {
      const edge = await startEdge(t);
      const { client, statuses } = make(t, edge.url, options);
      await eventually('the stream is open', () => statuses('/stream').includes(200));
      edge.shutDown();
      await eventually('the stream is gone', () => client.status === 'stale');
      edge.set('v1');
      await edge.start();
      await eventually('the client has it', () => client.string('of-live', '') === 'v1');
      assert.equal(client.status, 'current');
    });

    test('another context has its own answers', async t => {
      const { url } = await startEdge(t);
      const { client } = make(t, url, options);
      await client.ready();
      assert.equal(client.boolean('new-checkout', false), true);
      assert.equal(await client.identify(BOB), 'current');
      assert.equal(client.boolean('new-checkout', true), false);
      await client.identify(ADA);
      assert.equal(client.boolean('new-checkout', false), true);
      assert.equal(await client.identify({}), 'current', 'the anonymous one');
    });

    test('an unknown key is one clear error and no second request', async t => {
      const { url } = await startEdge(t);
      const { client, events, requests } = make(t, url, { ...options, key: 'cli_wrong' });
      assert.equal(await client.ready(), 'refused');
      await sleep(300);
      assert.equal(requests.length, 1);
      assert.equal(events.error.length, 1);
      const [{ code, message, status }] = events.error;
      assert.deepEqual([code, message, status], ['REFUSED', '401: invalid or missing api key', 401]);
      assert.equal(client.boolean('new-checkout', true), true);
      assert.equal(await client.track('new-checkout'), false);
      assert.equal(requests.length, 1);
    });
  });
}

test('reasons and variants are those of OFREP', async t => {
  const { url } = await startEdge(t);
  const { client } = make(t, url);
  await client.ready();
  for (const [key, fallback, expected] of [
    ['new-checkout', false, { value: true, reason: 'TARGETING_MATCH', variant: 'on' }],
    ['of-off', true, { value: false, reason: 'DISABLED', variant: 'off' }],
    ['of-text', '', { value: 'hello', reason: 'DEFAULT', variant: 'default' }],
    ['of-variant', '', { value: 'new', reason: 'SPLIT', variant: 'treatment' }],
  ])
    assert.deepEqual(client.detail(key, fallback), expected);
});

test('the path of client flags has values alone', async t => {
  const { url } = await startEdge(t);
  const { client } = make(t, url, { environment: 'dev' });
  await client.ready();
  assert.deepEqual(client.detail('of-variant', ''), { value: 'new', reason: 'UNKNOWN' });
});

test('another environment than the key’s is refused', async t => {
  const { url } = await startEdge(t);
  const { client, events } = make(t, url, { environment: 'live' });
  assert.equal(await client.ready(), 'refused');
  await sleep(50);
  assert.deepEqual(
    events.error.map(({ message }) => message),
    ['403: api key is not valid for this environment'],
  );
});

test('without a stream changes are asked for', async t => {
  const { url, set } = await startEdge(t);
  const { client, statuses } = make(t, url, { stream: false });
  await client.ready();
  set('v1');
  await eventually('the client has it', () => client.string('of-live', '') === 'v1');
  assert.deepEqual(statuses('/stream'), []);
});

test('what was shown is recorded, with its variant and the user', async t => {
  const { url, usage } = await startEdge(t);
  const { client } = make(t, url);
  await client.ready();
  assert.equal(await client.track('of-variant'), true);
  assert.equal(await client.track('of-live', 'blue'), true);
  const text = await eventually('the edge has written it', () => {
    try {
      const text = readFileSync(usage, 'utf8');
      return text.includes('blue') && text;
    } catch {
      return undefined;
    }
  });
  const lines = text.split('\n').filter(line => line.includes('ada'));
  assert.ok(
    lines.some(line => line.includes('of-variant') && line.includes('treatment')),
    text,
  );
});
