// What a page's life does: it is hidden and shown, and its connection comes back.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { make } from './support/client.mjs';
import { json, ofrep, startServer } from './support/server.mjs';
import { eventually, sleep } from './support/until.mjs';

const window = new EventTarget();
const document = Object.assign(new EventTarget(), { visibilityState: 'visible' });
globalThis.document = document;
globalThis.addEventListener = window.addEventListener.bind(window);
globalThis.removeEventListener = window.removeEventListener.bind(window);

function become(visibilityState) {
  document.visibilityState = visibilityState;
  document.dispatchEvent(new Event('visibilitychange'));
}
const online = () => window.dispatchEvent(new Event('online'));

/** A service with flags and a stream, and how many streams are open. */
async function service(t) {
  const service = { value: 1, open: 0 };
  const server = await startServer(t, (request, response) => {
    if (request.url.includes('/flags')) return json(response, 200, { a: service.value });
    service.open += 1;
    response.on('close', () => {
      service.open -= 1;
    });
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write('id: 1\nevent: flag-update\ndata: {}\n\n');
  });
  return Object.assign(service, server);
}

test('a hidden page closes its stream and asks nothing; once shown it has the newest', async t => {
  const at = await service(t);
  const { client } = make(t, at.url, { environment: 'dev', timing: { hidden: 500 } });
  await eventually('the stream is open', () => at.open === 1);
  become('hidden');
  await sleep(10);
  become('visible');
  await sleep(600);
  assert.equal(at.open, 1, 'a glance elsewhere ends nothing');

  become('hidden');
  await eventually('the stream is closed', () => at.open === 0);
  const count = at.seen.length;
  at.value = 2;
  online();
  await sleep(200);
  assert.equal(at.seen.length, count);
  assert.equal(client.number('a', 0), 1);

  become('visible');
  await eventually('it has the newest', () => client.number('a', 0) === 2);
  await eventually('the stream is open', () => at.open === 1);
});

test('a page that begins hidden has its flags', async t => {
  const at = await service(t);
  become('hidden');
  const { client } = make(t, at.url, { environment: 'dev', timing: { hidden: 300 } });
  assert.equal(await client.ready(), 'current');
  await eventually('the stream is open', () => at.open === 1);
  await eventually('it is closed', () => at.open === 0);
  become('visible');
  await eventually('the stream is open', () => at.open === 1);
});

test('a connection that comes back opens a new stream, since the old one may be dead', async t => {
  const at = await service(t);
  make(t, at.url, { environment: 'dev' });
  await eventually('the stream is open', () => at.open === 1);
  const streams = () => at.seen.filter(({ path }) => path.includes('stream')).length;
  online();
  await eventually('there is another', () => streams() === 2 && at.open === 1);
});

test('a failed request is repeated at once when the page is shown or online', async t => {
  let isUp = false;
  const { url, seen } = await startServer(t, (_, response) =>
    isUp ? json(response, 200, ofrep({ a: 1 })) : json(response, 500, 'oops'),
  );
  const { client } = make(t, url, { timing: { shortest: 60_000, longest: 60_000 } });
  await client.ready();
  await sleep(20);
  become('visible');
  await eventually('it was asked again', () => seen.length === 2);
  isUp = true;
  await sleep(20);
  online();
  await eventually('it has the flags', () => client.number('a', 0) === 1);
});

test('neither shortens what the service asked for', async t => {
  const { url, seen } = await startServer(t, (request, response) =>
    request.headers['x-api-key'] === 'cli_wrong'
      ? json(response, 401, { error: 'no such key' })
      : json(response, 429, { error: 'too many' }, { 'Retry-After': '60' }),
  );
  for (const key of ['cli_wrong', 'cli_test']) await make(t, url, { key }).client.ready();
  for (let round = 0; round < 10; round++) {
    become('visible');
    online();
    await sleep(10);
  }
  assert.equal(seen.length, 2);
});
