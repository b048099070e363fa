// The provider for OpenFeature, in OpenFeature's own client.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { Client } from '@halyard/node';
import { HalyardProvider } from '@halyard/node/openfeature';
import { ErrorCode, OpenFeature, ProviderEvents } from '@openfeature/server-sdk';
import { KEY, startEdge } from './support/edge.mjs';
import { eventually } from './support/until.mjs';

const ADA = { targetingKey: 'ada', country: 'NL' };
const EVENTS = Object.values(ProviderEvents);

/** OpenFeature's client in a domain of its own, and the events that it was told. It ends before the edge. */
function openFeature(edge, provider) {
  const domain = randomUUID();
  const flags = OpenFeature.getClient(domain);
  const told = [];
  for (const event of EVENTS) flags.addHandler(event, details => told.push({ event, ...details }));
  const ready = OpenFeature.setProviderAndWait(domain, provider);
  edge.clients.push({ close: () => OpenFeature.close() });
  return { flags, told, ready, isTold: event => told.some(one => one.event === event) };
}

test('values and details are those of the client', async t => {
  const edge = await startEdge(t);
  const client = await Client.start({ key: KEY, url: edge.url });
  edge.clients.push(client);
  const { flags, ready } = openFeature(edge, new HalyardProvider(client));
  await ready;
  assert.equal(flags.metadata.providerMetadata.name, 'halyard');
  assert.equal(await flags.getBooleanValue('new-checkout', false, ADA), true);
  assert.equal(await flags.getBooleanValue('new-checkout', true, { targetingKey: 'bob' }), false);
  assert.equal(await flags.getStringValue('of-text', '', ADA), 'hello');
  assert.equal(await flags.getNumberValue('of-number', 0, ADA), 2.5);
  assert.deepEqual(await flags.getObjectValue('of-object', {}, ADA), { size: 3, tags: ['a', 'b'] });
  const { version } = client.status;
  const because = async (key, fallback) => {
    const { value, reason, variant, flagMetadata } = await flags.getStringDetails(key, fallback, ADA);
    return { value, reason, variant, flagMetadata };
  };
  assert.deepEqual(await because('of-variant', ''), {
    value: 'new',
    reason: 'SPLIT',
    variant: 'treatment',
    flagMetadata: { version },
  });
  assert.equal((await because('of-text', '')).reason, 'DEFAULT');
  assert.equal((await flags.getBooleanDetails('new-checkout', false, ADA)).reason, 'TARGETING_MATCH');
  assert.equal((await flags.getBooleanDetails('of-off', false, ADA)).reason, 'DISABLED');
});

test('what is wrong is told with the fallback', async t => {
  const edge = await startEdge(t);
  const { flags, ready } = openFeature(edge, new HalyardProvider({ key: KEY, url: edge.url }));
  await ready;
  const code = async details => {
    const { value, reason, errorCode } = await details;
    assert.equal(reason, 'ERROR');
    return [value, errorCode];
  };
  const { TYPE_MISMATCH, FLAG_NOT_FOUND, TARGETING_KEY_MISSING, INVALID_CONTEXT } = ErrorCode;
  assert.deepEqual(await code(flags.getBooleanDetails('of-text', true, ADA)), [true, TYPE_MISMATCH]);
  assert.deepEqual(await code(flags.getObjectDetails('of-number', { a: 1 }, ADA)), [{ a: 1 }, TYPE_MISMATCH]);
  assert.deepEqual(await code(flags.getStringDetails('absent', 'x', ADA)), ['x', FLAG_NOT_FOUND]);
  assert.deepEqual(await code(flags.getNumberDetails('of-number', 7, {})), [7, TARGETING_KEY_MISSING]);
  const endless = {};
  endless.of = endless;
  const context = { targetingKey: 'ada', endless };
  assert.deepEqual(await code(flags.getNumberDetails('of-number', 7, context)), [7, INVALID_CONTEXT]);
});

test('it is ready, its configuration changes, it is stale, and ready again', async t => {
  const edge = await startEdge(t);
  const provider = new HalyardProvider({ key: KEY, url: edge.url });
  const { flags, told, ready, isTold } = openFeature(edge, provider);
  await ready;
  assert.equal(flags.providerStatus, 'READY');
  edge.set('v1');
  await eventually('it changed', () => isTold(ProviderEvents.ConfigurationChanged));
  assert.deepEqual(told.find(({ flagsChanged }) => flagsChanged).flagsChanged, ['of-live']);
  assert.equal(await flags.getStringValue('of-live', '', ADA), 'v1');
  await edge.stop();
  await eventually('it is stale', () => flags.providerStatus === 'STALE');
  assert.equal(await flags.getStringValue('of-live', '', ADA), 'v1');
  await edge.start();
  await eventually('it is ready again', () => flags.providerStatus === 'READY');
  const states = told
    .map(({ event }) => event)
    .filter(event => event !== ProviderEvents.ConfigurationChanged);
  assert.deepEqual(states, [ProviderEvents.Ready, ProviderEvents.Stale, ProviderEvents.Ready]);
});

test('a key that is refused is fatal', async t => {
  const edge = await startEdge(t);
  const { url } = edge;
  const { flags, ready, isTold } = openFeature(edge, new HalyardProvider({ key: 'srv_other', url }));
  await assert.rejects(ready, { code: ErrorCode.PROVIDER_FATAL });
  assert.equal(flags.providerStatus, 'FATAL');
  await eventually('it is told', () => isTold(ProviderEvents.Error));
  const wrong = openFeature(edge, new HalyardProvider({ key: 'cli_x', url }));
  await assert.rejects(wrong.ready, { code: ErrorCode.PROVIDER_FATAL, message: /not one of a server/ });
});

test('an edge that comes late makes it ready', async t => {
  const edge = await startEdge(t);
  await edge.stop();
  const provider = new HalyardProvider({ key: KEY, url: edge.url, startTimeout: 100 });
  const { flags, ready, isTold } = openFeature(edge, provider);
  await assert.rejects(ready, { code: ErrorCode.PROVIDER_NOT_READY });
  assert.equal(flags.providerStatus, 'ERROR');
  await edge.start();
  await eventually('it is ready', () => flags.providerStatus === 'READY' && isTold(ProviderEvents.Ready));
  assert.equal(await flags.getStringValue('of-live', '', ADA), 'v0');
});

test('a local copy is stale from the beginning, where there is no edge', async t => {
  const edge = await startEdge(t);
  const first = await Client.start({ key: KEY, url: edge.url, localCopy: edge.copy });
  await first.close();
  await edge.stop();
  const client = await Client.start({ key: KEY, url: edge.url, localCopy: edge.copy });
  const { flags, ready } = openFeature(edge, new HalyardProvider(client));
  await ready;
  await eventually('it is stale', () => flags.providerStatus === 'STALE');
  assert.equal(await flags.getStringValue('of-live', '', ADA), 'v0');
});
