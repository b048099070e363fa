// What is kept between visits, and what of it is served.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADA, BOB, make, memory } from './support/client.mjs';
import { json, ofrep, startServer } from './support/server.mjs';
import { eventually, sleep } from './support/until.mjs';

/** Answers once for each of `users`, then no more. */
async function visited(t, storage, users = [ADA]) {
  let isUp = true;
  const { url } = await startServer(t, (_, response, body) =>
    isUp
      ? json(response, 200, ofrep({ user: JSON.parse(body).context.targetingKey }), { ETag: 'W/"1"' })
      : json(response, 500, 'away'),
  );
  for (const context of users) {
    const { client } = make(t, url, { context, storage });
    await eventually('it was asked', () => client.status === 'current');
    client.close();
  }
  isUp = false;
  return url;
}

test('only the same context, key and address get what was kept', async t => {
  const storage = memory();
  const url = await visited(t, storage, [ADA, BOB]);
  const of = options => make(t, url, { storage, ...options }).client;
  assert.equal(of({}).string('user', ''), 'ada');
  assert.equal(of({ context: BOB }).string('user', ''), 'bob');
  for (const options of [
    { context: { ...ADA, attributes: { country: 'BE' } } },
    { context: { key: 'eve' } },
    { key: 'cli_other' },
    { environment: 'dev' },
  ]) {
    const client = of(options);
    assert.equal(client.detail('user', '').error, 'NOT_READY', JSON.stringify(options));
  }
  const client = of({});
  assert.equal(await client.identify(BOB), 'stored', 'at once, also without a service');
  assert.equal(client.string('user', ''), 'bob');
});

test('neither the key nor attributes are stored, and no more than four contexts', async t => {
  const storage = memory();
  const users = [1, 2, 3, 4, 5].map(number => ({
    key: `user-${number}`,
    attributes: { email: `${number}@acme.test` },
  }));
  const url = await visited(t, storage, users);
  const [text] = storage.map.values();
  assert.equal(storage.map.size, 1);
  assert.equal(JSON.parse(text).length, 4);
  assert.doesNotMatch(text, /acme|cli_/);
  const served = users.map(context => make(t, url, { context, storage }).client.string('user', ''));
  assert.deepEqual(served, ['', 'user-2', 'user-3', 'user-4', 'user-5']);
});

test('what was damaged is not served, and said', async t => {
  const good = memory();
  const url = await visited(t, good);
  const [[slot, text]] = good.map;
  const swapped = JSON.parse(text).map(([name, seal, kept]) => [name, seal, kept.replaceAll('ada', 'eve')]);
  const renamed = JSON.parse(text).map(([name, seal, kept]) => [name, `${seal}x`, kept]);
  for (const damaged of [
    '',
    '{',
    'null',
    '5',
    '"x"',
    '{}',
    '[null]',
    '[[]]',
    '[[1,2,3]]',
    text.slice(0, -3),
    text.replace('user', 'usor'),
    JSON.stringify(swapped),
    JSON.stringify(renamed),
  ]) {
    const { client, codes } = make(t, url, { storage: memory({ [slot]: damaged }) });
    assert.deepEqual(client.all(), {}, damaged);
    assert.equal(client.status, 'pending');
    await sleep(0);
    assert.equal(codes()[0], 'DAMAGED_STORAGE', damaged);
    client.close();
  }
});

test('damaged contents are replaced by the next answer', async t => {
  const { url } = await startServer(t, (_, response) => json(response, 200, ofrep({ a: 1 })));
  const storage = memory();
  const first = make(t, url, { storage });
  await first.client.ready();
  const [slot] = storage.map.keys();
  storage.map.set(slot, '{');
  const second = make(t, url, { storage });
  await second.client.ready();
  assert.equal(make(t, url, { storage }).client.number('a', 0), 1);
});

test('a storage that throws, is full or is not there changes nothing else', async t => {
  const { url } = await startServer(t, (_, response) => json(response, 200, ofrep({ a: 1 })));
  const fail = () => {
    throw new Error('no room');
  };
  for (const [storage, told] of [
    [{ getItem: fail, setItem: fail, removeItem: fail }, ['STORAGE']],
    [{ ...memory(), setItem: fail }, ['STORAGE']],
    [null, []],
    // Node has none.
    [undefined, []],
  ]) {
    const { client, codes } = make(t, url, { storage });
    assert.equal(await client.ready(), 'current');
    assert.equal(client.number('a', 0), 1);
    await sleep(120);
    assert.deepEqual(codes(), told);
  }
});

test('where there is no room for all, the latest is kept', async t => {
  const storage = memory();
  const keep = storage.setItem;
  storage.setItem = (name, text) => {
    if (JSON.parse(text).length > 1) throw new Error('no room');
    keep(name, text);
  };
  const url = await visited(t, storage, [ADA, BOB]);
  const { client, codes } = make(t, url, { storage, context: BOB });
  assert.equal(client.string('user', ''), 'bob');
  await sleep(0);
  assert.ok(!codes().includes('STORAGE'));
});

test('two tabs of two users share a storage, and each keeps its own', async t => {
  let round = 0;
  const { url } = await startServer(t, (_, response, body) =>
    json(response, 200, ofrep({ user: `${JSON.parse(body).context.targetingKey} ${++round}` })),
  );
  const storage = memory();
  const tabs = [ADA, BOB].map(context => ({ context, ...make(t, url, { context, storage }) }));
  for (const { client } of tabs) await client.ready();
  await sleep(300);
  for (const { client, context, codes } of tabs) {
    assert.match(client.string('user', ''), new RegExp(`^${context.key} `));
    client.close();
    const next = make(t, url, { context, storage }).client;
    assert.match(next.string('user', ''), new RegExp(`^${context.key} `));
    next.close();
    assert.deepEqual(codes(), []);
  }
});
