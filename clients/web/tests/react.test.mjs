// The hooks, in a document without a browser, and on a server.

import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { GlobalWindow } from 'happy-dom';
import { act, createElement as h, StrictMode, Suspense } from 'react';
import { HalyardProvider, useClient, useFlag, useFlagDetail } from '../dist/react.js';
import { make, memory } from './support/client.mjs';
import { json, ofrep, startServer } from './support/server.mjs';
import { bundled } from './support/snippets.mjs';
import { eventually, sleep } from './support/until.mjs';

const window = new GlobalWindow();
let createRoot;
let hydrateRoot;
let renderToString;
before(async () => {
  for (const name of ['window', 'document', 'navigator', 'HTMLElement', 'HTMLIFrameElement', 'Node'])
    Object.defineProperty(globalThis, name, { value: window[name], configurable: true, writable: true });
  globalThis.IS_REACT_ACT_ENVIRONMENT = true;
  ({ createRoot, hydrateRoot } = await import('react-dom/client'));
  ({ renderToString } = await import('react-dom/server'));
});
after(() => window.happyDOM.close());

/** A client whose answers are `values`, which a test changes. */
async function started(t, values, options) {
  const { url } = await startServer(t, (_, response) => json(response, 200, ofrep(values)));
  return make(t, url, { stream: false, ...options });
}

function mount(t, element) {
  const place = document.createElement('div');
  const root = createRoot(place);
  act(() => root.render(element));
  t.after(() => act(() => root.unmount()));
  return place;
}

test('a component is rendered again when its flag changes, and only then', async t => {
  const values = { text: 'a', other: 1, object: { size: 1 } };
  const { client } = await started(t, values);
  await client.ready();
  const renders = { text: 0, other: 0, object: 0 };
  const Shows = ({ name, fallback }) => {
    renders[name] += 1;
    return `${name}: ${JSON.stringify(useFlag(name, fallback))}; `;
  };
  const shown = [
    h(Shows, { name: 'text', fallback: '', key: 1 }),
    h(Shows, { name: 'other', fallback: 0, key: 2 }),
    h(Shows, { name: 'object', fallback: {}, key: 3 }),
  ];
  const place = mount(t, h(HalyardProvider, { client }, shown));
  assert.equal(place.textContent, 'text: "a"; other: 1; object: {"size":1}; ');
  assert.deepEqual(renders, { text: 1, other: 1, object: 1 });

  await act(async () => {
    values.text = 'b';
    await eventually('the client has it', () => client.string('text', '') === 'b');
  });
  assert.equal(place.textContent, 'text: "b"; other: 1; object: {"size":1}; ');
  assert.deepEqual(renders, { text: 2, other: 1, object: 1 });
});

test('a detail is one object while it says the same', async t => {
  const values = { a: true, z: 1 };
  const { client } = await started(t, values);
  await client.ready();
  const seen = [];
  const Shows = ({ name }) => {
    seen.push(useFlagDetail(name, false));
    return null;
  };
  mount(
    t,
    h(StrictMode, {}, h(HalyardProvider, { client }, h(Shows, { name: 'a' }), h(Shows, { name: 'no' }))),
  );
  const count = seen.length;
  await act(async () => {
    values.z = 2;
    await eventually('the client has it', () => client.number('z', 0) === 2);
  });
  assert.equal(seen.length, count);
  assert.deepEqual(seen[0], { value: true, reason: 'DEFAULT', variant: 'default' });
  assert.ok(seen.some(({ error }) => error === 'FLAG_NOT_FOUND'));
});

test('another user’s answers replace those on the page', async t => {
  const { url } = await startServer(t, (_, response, body) =>
    json(response, 200, ofrep({ user: JSON.parse(body).context.targetingKey })),
  );
  const { client } = make(t, url);
  await client.ready();
  const Shows = () => {
    const own = useClient();
    return h('button', { type: 'button', onClick: () => own.identify({ key: 'bob' }) }, useFlag('user', ''));
  };
  const place = mount(t, h(HalyardProvider, { client }, h(Shows)));
  assert.equal(place.textContent, 'ada');
  await act(async () => {
    place.querySelector('button').click();
    await eventually('bob is shown', () => client.string('user', '') === 'bob');
    await sleep(0);
  });
  assert.equal(place.textContent, 'bob');
});

test('a component that is gone is not told', async t => {
  const values = { a: 1 };
  const { client } = await started(t, values);
  await client.ready();
  let renders = 0;
  const Shows = () => {
    renders += 1;
    return useFlag('a', 0);
  };
  const place = document.createElement('div');
  const root = createRoot(place);
  act(() => root.render(h(HalyardProvider, { client }, h(Shows))));
  act(() => root.unmount());
  values.a = 2;
  await eventually('the client has it', () => client.number('a', 0) === 2);
  await sleep(10);
  assert.equal(renders, 1);
});

test('a page from a server is taken over without a mismatch, also with flags that were kept', async t => {
  const storage = memory();
  const first = await started(t, { a: 'kept' }, { storage });
  await first.client.ready();
  const Shows = () => h('p', {}, useFlag('a', 'fallback'), ' ', useFlagDetail('a', 'fallback').reason);
  const app = h(HalyardProvider, { client: first.client }, h(Suspense, {}, h(Shows)));
  const html = renderToString(app);
  assert.match(html, /fallback/);
  const place = document.createElement('div');
  place.innerHTML = html;
  const mismatches = [];
  let root;
  await act(async () => {
    root = hydrateRoot(place, app, { onRecoverableError: error => mismatches.push(error) });
  });
  t.after(() => act(() => root.unmount()));
  assert.equal(place.textContent, 'kept DEFAULT');
  assert.deepEqual(mismatches, []);
});

test('the README’s components follow and track', async t => {
  const values = { 'new-checkout': true, 'button-color': 'red' };
  const { client, requests } = await started(t, values);
  await client.ready();
  const file = join(import.meta.dirname, `checkout-${process.pid}.mjs`);
  writeFileSync(file, await bundled('Checkout.tsx', { external: ['react', 'react/jsx-runtime'] }));
  t.after(() => rmSync(file));
  const { App } = await import(file);
  const place = mount(t, h(App, { flags: client }));
  assert.equal(place.textContent, 'Pay at once');
  await act(async () => {
    values['new-checkout'] = false;
    await eventually('the client has it', () => client.boolean('new-checkout', true) === false);
  });
  assert.equal(place.textContent, 'To the basket');
  place.querySelector('button').click();
  await eventually('it was tracked', () => requests.some(({ path }) => path === '/v1/track'));
});

test('without a provider the hooks say what is missing', () => {
  const Shows = () => useFlag('a', 0);
  assert.throws(() => renderToString(h(Shows)), /no <HalyardProvider> is around this component/);
});
