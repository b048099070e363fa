// The hook that tells which defaults the code has, in OpenFeature's own client.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { DefaultsHook } from '@halyard/node/openfeature';
import { InMemoryProvider, OpenFeature } from '@openfeature/server-sdk';

/** What takes reports in place of an edge. */
async function startTaker(t, status = 204) {
  const reports = [];
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const { url, headers } = request;
    reports.push({ url, key: headers['x-api-key'], body: JSON.parse(Buffer.concat(parts)) });
    response.writeHead(status).end();
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${server.address().port}`, reports };
}

async function flagsWith(t, hook) {
  const flag = value => ({ variants: { on: value }, defaultVariant: 'on', disabled: false });
  const provider = new InMemoryProvider({ dark: flag(true), size: flag({ big: 1, small: 2 }) });
  await OpenFeature.setProviderAndWait(t.name, provider);
  t.after(() => hook.close());
  return OpenFeature.getClient(t.name).addHooks(hook);
}

test('defaults are told with how many answers differ', async t => {
  const { url, reports } = await startTaker(t);
  const hook = new DefaultsHook({ key: 'srv_1', url, service: 'shop' });
  const flags = await flagsWith(t, hook);
  for (let round = 0; round < 3; round += 1) await flags.getBooleanValue('dark', false);
  await flags.getObjectValue('size', { small: 2, big: 1 });
  // Without an answer there is nothing to compare.
  await flags.getBooleanValue('none', true);
  await hook.flush();
  await hook.flush();
  assert.deepEqual(reports, [
    {
      url: '/v1/defaults',
      key: 'srv_1',
      body: {
        service: 'shop',
        defaults: [
          { flag_key: 'dark', default: false, answers: 3, differing: 3 },
          { flag_key: 'size', default: { small: 2, big: 1 }, answers: 1, differing: 0 },
        ],
      },
    },
  ]);
});

test('an edge that is not there is nothing that the application notices', async t => {
  const hook = new DefaultsHook({ key: 'srv_1', url: 'http://127.0.0.1:1' });
  const flags = await flagsWith(t, hook);
  assert.equal(await flags.getBooleanValue('dark', false), true);
  await hook.flush();
});

test('a default that is no JSON costs no answer', async t => {
  const { url, reports } = await startTaker(t);
  const hook = new DefaultsHook({ key: 'srv_1', url });
  const flags = await flagsWith(t, hook);
  const circular = {};
  circular.self = circular;
  assert.deepEqual(await flags.getObjectValue('size', circular), { big: 1, small: 2 });
  await hook.flush();
  assert.deepEqual(reports, []);
});

test('what one report holds is bounded', async t => {
  const { url, reports } = await startTaker(t);
  const hook = new DefaultsHook({ key: 'srv_1', url });
  const flags = await flagsWith(t, hook);
  for (let one = 0; one < 510; one += 1) await flags.getObjectValue('size', { one });
  await flags.getObjectValue('size', { long: 'a'.repeat(1_000) });
  await hook.flush();
  assert.equal(reports[0].body.defaults.length, 500);
});
