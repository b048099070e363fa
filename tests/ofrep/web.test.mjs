// The provider for browsers: all flags at once, kept, and fetched again when the event stream says so.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { EventSource } from 'eventsource';
import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { eventually, key, makeFlags, makeKey, managed, revokeKey, servers, set } from './halyard.mjs';

const USER = { targetingKey: 'user-1', country: 'NL' };

/** Every stream that the provider opened, since browsers have what Node lacks. */
const opened = [];
globalThis.EventSource = class extends EventSource {
  constructor(url) {
    super(url);
    opened.push(this);
  }
};

/** A provider at a server, its client, and the status of every answer it got. */
async function start(domain, baseUrl, apiKey = key) {
  const statuses = [];
  const fetchImplementation = async (...request) => {
    const answer = await fetch(...request);
    statuses.push(answer.status);
    return answer;
  };
  const provider = new OFREPWebProvider({
    baseUrl,
    headers: [['X-API-Key', apiKey]],
    cacheMode: 'disabled',
    fetchImplementation,
  });
  await OpenFeature.setContext(domain, USER);
  await OpenFeature.setProviderAndWait(domain, provider);
  return { client: OpenFeature.getClient(domain), statuses };
}

/** The stream of the newest provider, once it is open. */
async function stream() {
  const source = opened.at(-1);
  await eventually('the stream is open', () => source.readyState === EventSource.OPEN);
  return source;
}

before(makeFlags);
after(() => OpenFeature.clearProviders());

for (const [name, url] of Object.entries(servers)) {
  describe(`the web provider at the ${name}`, () => {
    test('has every flag after one request', async () => {
      const { client, statuses } = await start(`values ${name}`, url);
      const told = ({ value, reason, variant }) => [value, reason, variant];
      assert.deepEqual(told(client.getBooleanDetails('of-bool', false)), [true, 'TARGETING_MATCH', 'on']);
      assert.deepEqual(told(client.getBooleanDetails('of-off', true)), [false, 'DISABLED', 'off']);
      assert.deepEqual(told(client.getStringDetails('of-text', '')), ['hello', 'DEFAULT', 'default']);
      assert.deepEqual(told(client.getNumberDetails('of-float', 0)), [2.5, 'DEFAULT', 'default']);
      assert.deepEqual(client.getObjectValue('of-object', {}), { size: 3, tags: ['a', 'b'] });
      assert.deepEqual(told(client.getStringDetails('of-variant', '')), ['new', 'SPLIT', 'treatment']);
      assert.deepEqual(client.getBooleanDetails('of-gated', true).flagMetadata, { reason: 'PREREQUISITE_FAILED' });
      const unknown = client.getStringDetails('of-nowhere', 'code');
      assert.deepEqual([unknown.value, unknown.errorCode], ['code', 'FLAG_NOT_FOUND']);
      assert.equal(typeof unknown.flagMetadata.version, 'number');

      // The stream asks for a fetch as soon as it is open; nothing has changed since.
      await eventually('the provider was told 304', () => statuses.includes(304));
      assert.deepEqual(statuses, [200, 304]);
    });

    test('asks again for another context', async () => {
      const { client } = await start(`context ${name}`, url);
      await OpenFeature.setContext(`context ${name}`, { ...USER, country: 'BE' });
      assert.equal(client.getBooleanValue('of-bool', true), false);
      await OpenFeature.setContext(`context ${name}`, USER);
      assert.equal(client.getBooleanValue('of-bool', false), true);
    });

    test('refuses to start with a wrong key', async () => {
      const provider = new OFREPWebProvider({
        baseUrl: url,
        headers: [['X-API-Key', 'cli_wrong']],
        cacheMode: 'disabled',
      });
      await assert.rejects(OpenFeature.setProviderAndWait(`refused ${name}`, provider));
    });
  });
}

for (const [name, url] of Object.entries(managed)) {
  describe(`the web provider at the ${name}`, () => {
    test('follows changes by one stream', async () => {
      await set('of-live', { enabled: true, default_value: 'v0' });
      const { client } = await start(`live ${name}`, url);
      const changes = [];
      client.addHandler(ProviderEvents.ConfigurationChanged, ({ flagsChanged }) => changes.push(flagsChanged));
      await stream();
      const streams = opened.length;
      for (const value of ['v1', 'v2', 'v3']) {
        await set('of-live', { default_value: value });
        await eventually(`the client has ${value}`, () => client.getStringValue('of-live', '') === value);
      }
      assert.deepEqual(changes, [['of-live'], ['of-live'], ['of-live']]);
      assert.equal(opened.length, streams, 'the address of the stream stays, and so does the connection');
    });

    test('is stale after its key was revoked', async () => {
      const made = await makeKey();
      const { client } = await start(`revoked ${name}`, url, made.key);
      const source = await stream();
      const stale = [];
      client.addHandler(ProviderEvents.Stale, (event) => stale.push(event));
      await revokeKey(made.id);
      await eventually('the provider says so', () => stale.length > 0);
      assert.notEqual(source.readyState, EventSource.OPEN);
      // What it has stays.
      assert.equal(client.getStringValue('of-text', ''), 'hello');
    });
  });
}
