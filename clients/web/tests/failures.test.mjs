// What goes wrong between the client and the service.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ADA, BOB, make, memory } from './support/client.mjs';
import { json, ofrep, startServer } from './support/server.mjs';
import { eventually, sleep } from './support/until.mjs';

/** The context that a request is about. */
const who = body => JSON.parse(body).context.targetingKey;

// They mostly wait.
describe('pauses', { concurrency: true }, () => {
  test('after 401 nothing is sent until minutes later, and the error is told once', async t => {
    const { url, seen } = await startServer(t, (_, response) =>
      json(response, 401, { error: 'no such key' }),
    );
    const { client, codes } = make(t, url, { timing: { refused: 1_000 } });
    assert.equal(await client.ready(), 'refused');
    await sleep(300);
    assert.equal(seen.length, 1);
    await eventually('it is tried once more', () => seen.length === 2);
    assert.ok(seen[1].at - seen[0].at > 995);
    await sleep(50);
    assert.deepEqual(codes(), ['REFUSED']);
  });

  for (const status of [429, 503])
    test(`after ${status} nothing is sent before Retry-After`, async t => {
      let isFull = true;
      const { url, seen } = await startServer(t, (_, response) =>
        isFull
          ? json(response, status, { error: 'too many requests' }, { 'Retry-After': '1' })
          : json(response, 200, ofrep({ a: 1 })),
      );
      const { client, codes } = make(t, url);
      await client.ready();
      assert.equal(await client.track('a'), false);
      isFull = false;
      await sleep(500);
      await eventually('it has the flags', () => client.number('a', 0) === 1);
      assert.ok(seen[1].at - seen[0].at >= 995, `${seen[1].at - seen[0].at} ms`);
      assert.deepEqual(codes(), [status === 429 ? 'RATE_LIMITED' : 'UNAVAILABLE']);
    });

  test('failures are tried again after pauses that grow', async t => {
    const { url, seen } = await startServer(t, (_, response) => json(response, 500, 'oops'));
    const { client, codes } = make(t, url, { timing: { shortest: 20, longest: 300 } });
    assert.equal(await client.ready(), 'stale');
    assert.equal(client.detail('a', 5).error, 'NOT_READY');
    await eventually('it was asked often', () => seen.length >= 6);
    // 20, 40, 80, 160, 300, each at least half of that.
    assert.ok(seen[5].at - seen[0].at >= 295, `${seen[5].at - seen[0].at} ms`);
    assert.deepEqual(codes(), ['UNAVAILABLE']);
  });

  test('a stream that is silent or always cut is opened again, ever more slowly, and flags are fetched before each', async t => {
    for (const end of [response => response.write(': \n\n'), response => response.end()]) {
      const { url, seen } = await startServer(t, (request, response) => {
        if (request.url.includes('/flags')) return json(response, 200, { a: 1 });
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        end(response);
      });
      const { client } = make(t, url, {
        environment: 'dev',
        timing: { silence: 30, shortest: 50, longest: 400 },
      });
      await client.ready();
      await eventually('it was opened often', () => seen.length >= 8);
      // 50, 100, 200, each at least half of that.
      assert.ok(seen[6].at - seen[0].at >= 170, `${seen[6].at - seen[0].at} ms`);
      for (const [at, { path }] of seen.entries())
        assert.equal(path, at % 2 === 0 ? '/v1/client/dev/flags' : '/v1/stream/dev');
      assert.equal(client.status, 'current');
      client.close();
    }
  });
});

test('a key that is refused later leaves what there is', async t => {
  let isKnown = true;
  const { url } = await startServer(t, (_, response) =>
    isKnown ? json(response, 200, ofrep({ a: 1 })) : json(response, 403, { error: 'revoked' }),
  );
  const { client, codes } = make(t, url);
  await client.ready();
  isKnown = false;
  await eventually('it is refused', () => client.status === 'refused');
  await sleep(20);
  assert.equal(client.number('a', 0), 1);
  assert.deepEqual(codes(), ['REFUSED']);
});

test('a server that hangs is given up, and ready waits no longer than it may', async t => {
  let hangs = true;
  const { url } = await startServer(t, (_, response) => hangs || json(response, 200, ofrep({ a: 1 })));
  const { client, codes } = make(t, url, { timeout: 100, timing: { request: 2_000 } });
  const begun = Date.now();
  assert.equal(await client.ready(), 'pending');
  assert.ok(Date.now() - begun < 1_500, `${Date.now() - begun} ms`);
  await eventually('it is given up', () => codes().includes('UNREACHABLE'));
  hangs = false;
  await eventually('it has the flags', () => client.number('a', 0) === 1);
});

test('a body that stops in the middle is given up', async t => {
  const { url } = await startServer(t, (_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' });
    response.write('{"flags":[{"key":"a","value":1}');
  });
  const { client, codes } = make(t, url, { timing: { request: 100 } });
  assert.equal(await client.ready(), 'stale');
  assert.deepEqual([codes(), client.all()], [['UNREACHABLE'], {}]);
});

const DAMAGED = [
  '',
  '<html>sign in to this network</html>',
  '{"flags":[{"key":"a","value":1}',
  '[]',
  'null',
  '{}',
  '{"flags":{"a":1}}',
  '{"flags":[{"key":"a","value":2},null]}',
  '{"flags":[{"key":"a"}]}',
  '{"flags":[{"key":5,"value":1}]}',
];
test('answers that cannot be read are never served, and what there is stays', async t => {
  let body = ofrep({ a: 1 });
  const storage = memory();
  const { url } = await startServer(t, (_, response) => json(response, 200, body, { ETag: 'W/"1"' }));
  const { client, codes, events } = make(t, url, { storage, timing: { longest: 20 } });
  await client.ready();
  const stored = [...storage.map.values()];
  for (const damaged of DAMAGED) {
    body = damaged;
    await eventually(`${damaged} is noticed`, () => client.status === 'stale');
    assert.equal(client.number('a', 0), 1, damaged);
    body = ofrep({ a: 1 });
    await eventually('all is well again', () => client.status === 'current');
  }
  assert.ok(codes().length > 0 && codes().every(code => code === 'DAMAGED_ANSWER'));
  assert.match(events.error[0].message, /cannot be read/);
  assert.deepEqual([...storage.map.values()], stored);
});

for (const damaged of ['[1]', 'true', '"a"', '{"a":'])
  test(`as values, ${damaged} is never served`, async t => {
    const { url } = await startServer(t, (_, response) => json(response, 200, damaged));
    const { client, codes } = make(t, url, { environment: 'dev' });
    assert.equal(await client.ready(), 'stale');
    assert.deepEqual([codes(), client.all()], [['DAMAGED_ANSWER'], {}]);
  });

test('a flag that the service could not evaluate is the fallback', async t => {
  const flags = [{ key: 'a', errorCode: 'GENERAL', errorDetails: 'too much work' }];
  const { url } = await startServer(t, (_, response) => json(response, 200, { flags }));
  const { client } = make(t, url);
  await client.ready();
  assert.deepEqual(client.detail('a', 7), { value: 7, reason: 'ERROR', error: 'GENERAL' });
  assert.deepEqual(client.all(), {});
});

test('the last identify wins, in whichever order the answers come', async t => {
  const waiting = new Map();
  const { url } = await startServer(t, (_, response, body) => waiting.set(who(body), response));
  const { client } = make(t, url, { timeout: 5_000 });
  await eventually('ada is asked for', () => waiting.has('ada'));
  const first = client.identify(BOB);
  await eventually('bob is asked for', () => waiting.has('bob'));
  const second = client.identify({ key: 'kim' });
  await eventually('kim is asked for', () => waiting.has('kim'));
  json(waiting.get('kim'), 200, ofrep({ user: 'kim' }));
  assert.deepEqual(await Promise.all([first, second]), ['current', 'current']);
  assert.equal(client.string('user', ''), 'kim');
  for (const late of ['bob', 'ada']) json(waiting.get(late), 200, ofrep({ user: late }));
  await sleep(100);
  assert.equal(client.string('user', ''), 'kim');
});

for (const failure of ['hangs', 'fails'])
  test(`once identify has resolved nothing of another context is served, also where the service ${failure}`, async t => {
    const { url } = await startServer(t, (_, response, body) => {
      if (who(body) === 'ada') json(response, 200, ofrep({ user: 'ada' }));
      else if (failure === 'fails') json(response, 500, 'oops');
    });
    const { client, events } = make(t, url, { timeout: 1_000 });
    await client.ready();
    const identified = client.identify(BOB);
    assert.equal(client.string('user', ''), 'ada', 'until there is an answer, there is no flicker');
    await identified;
    assert.deepEqual(client.detail('user', 'x'), { value: 'x', reason: 'ERROR', error: 'NOT_READY' });
    assert.deepEqual(events.change.at(-1), ['user']);
  });

test('a listener may identify, and another that throws stops nobody', async t => {
  const { url } = await startServer(t, (_, response, body) =>
    json(response, 200, ofrep({ user: who(body) })),
  );
  const { client } = make(t, url);
  // Which Node lacks.
  const thrown = new Promise(resolve => {
    globalThis.reportError = resolve;
  });
  const stop = client.on('change', () => {
    throw new Error('of the listener');
  });
  client.on('change', () => client.string('user', '') === 'ada' && client.identify(BOB));
  assert.equal((await thrown).message, 'of the listener');
  stop();
  await eventually('bob is identified', () => client.string('user', '') === 'bob');
  assert.equal(client.status, 'current');
});

test('many changes at once are few requests', async t => {
  let count = 0;
  const { url, seen } = await startServer(t, (request, response) => {
    if (request.url.includes('/flags')) return json(response, 200, { a: ++count });
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write('retry: 10\r\n\r\nid: 1\r\nevent: connected\r\ndata: {}\r\n\r\n');
    const event = 'id: 2\nevent: flag-update\ndata: {}\n\n'.repeat(500);
    // Cut anywhere.
    response.write(event.slice(0, 7777));
    setTimeout(() => response.write(event.slice(7777)), 5);
  });
  const { client } = make(t, url, { environment: 'dev', timing: { gap: 50 } });
  await eventually('it has the newest', () => client.number('a', 0) >= 2);
  await sleep(200);
  assert.ok(count <= 4, `${count} requests`);
  assert.equal(seen.filter(({ path }) => path === '/v1/stream/dev').length, 1);
});

test('where there is no stream, flags are fetched all the same', async t => {
  let value = 1;
  const { url } = await startServer(t, (request, response) =>
    request.url.includes('/flags') ? json(response, 200, { a: value }) : json(response, 404, 'not here'),
  );
  const { client, codes } = make(t, url, { environment: 'dev', timing: { longest: 50 } });
  await client.ready();
  value = 2;
  await eventually('it has the change', () => client.number('a', 0) === 2);
  await sleep(20);
  assert.deepEqual([client.status, codes()], ['current', ['UNAVAILABLE']]);
});

test('once closed it asks nothing, tells nothing, and serves what it has', async t => {
  const { url, seen } = await startServer(t, (_, response) => json(response, 200, ofrep({ a: 1 })));
  const { client, events } = make(t, url);
  await client.ready();
  client.close();
  const count = seen.length;
  const told = events.status.length;
  assert.equal(await client.identify(BOB), 'closed');
  assert.equal(await client.track('a'), false);
  await sleep(150);
  assert.equal(seen.length, count);
  assert.equal(client.number('a', 0), 1);
  assert.equal(client.status, 'closed');
  assert.ok(events.status.length <= told + 2 && events.status.at(-1) === 'closed');
});

test('an attribute called targetingKey does not replace the key', async t => {
  const { url, seen } = await startServer(t, (_, response) => json(response, 200, ofrep({})));
  const { client } = make(t, url, {
    context: { ...ADA, attributes: { targetingKey: 'eve', country: 'NL' } },
  });
  await client.ready();
  assert.deepEqual(JSON.parse(seen[0].body), { context: { targetingKey: 'ada', country: 'NL' } });
});
