// The snippets of docs/ofrep.md, as they are printed there.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { EventSource } from 'eventsource';
import { OpenFeature } from '@openfeature/web-sdk';
import { eventually, key, makeFlags, servers, set } from './halyard.mjs';
import { follow } from './snippets/web.mjs';

const edge = servers['separate edge'];
const USER = { targetingKey: 'user-1', email: 'ada@acme.test', country: 'NL' };
const forStaff = {
  enabled: true,
  rules: [{ value: true, conditions: [{ attribute: 'email', operator: 'endsWith', values: ['@acme.test'] }] }],
};

globalThis.EventSource = EventSource;
before(async () => {
  await makeFlags();
  await set('new-checkout', forStaff);
});
after(() => OpenFeature.close());

/** What a program prints that is given the addresses as a reader would give them. */
async function printed(program, file) {
  const run = promisify(execFile)(program, [file], { env: { ...process.env, HALYARD_EDGE_URL: edge, HALYARD_API_KEY: key } });
  return (await run).stdout.trim();
}

test('a shell asks', async () => {
  const { value } = JSON.parse(await printed('sh', 'snippets/curl.sh'));
  assert.equal(value, true);
});

test('a server in JavaScript asks', async () => {
  assert.equal(await printed('node', 'snippets/node.mjs'), 'the new checkout');
});

test('a server in Python asks', async () => {
  assert.equal(await printed('venv/bin/python', 'snippets/python.py'), 'the new checkout');
});

test('a page follows', async () => {
  const shown = [];
  await follow(edge, key, USER, (isNew) => shown.push(isNew));
  assert.deepEqual(shown, [true]);
  await set('new-checkout', { enabled: false });
  await eventually('the page has heard', () => shown.length === 2);
  assert.deepEqual(shown, [true, false]);
  await set('new-checkout', forStaff);
});

test('React renders', async () => {
  const rendered = `
    import { renderToString } from 'react-dom/server';
    import { connect, App } from './snippets/react.jsx';
    export async function render(...given) {
      await connect(...given);
      return renderToString(<App />);
    }`;
  await build({
    stdin: { contents: rendered, loader: 'jsx', resolveDir: '.' },
    outfile: 'rendered.mjs',
    bundle: true,
    packages: 'external',
    format: 'esm',
    jsx: 'automatic',
    logLevel: 'error',
  });
  const { render } = await import('./rendered.mjs');
  assert.equal(await render(edge, key, USER), '<p>the new checkout</p>');
});
