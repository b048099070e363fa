// The provider for servers: one request for each evaluation.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { OpenFeature } from '@openfeature/server-sdk';
import { OFREPProvider } from '@openfeature/ofrep-provider';
import { key, makeFlags, servers } from './halyard.mjs';

const USER = { targetingKey: 'user-1', country: 'NL' };

async function client(domain, baseUrl, headers) {
  await OpenFeature.setProviderAndWait(domain, new OFREPProvider({ baseUrl, headers }));
  return OpenFeature.getClient(domain);
}

before(makeFlags);

for (const [name, url] of Object.entries(servers)) {
  describe(`the server provider at the ${name}`, () => {
    test('gets values of every type with reason and variant', async () => {
      const flags = await client(`values ${name}`, url, [['X-API-Key', key]]);
      const told = ({ value, reason, variant }) => [value, reason, variant];
      assert.deepEqual(told(await flags.getBooleanDetails('of-bool', false, USER)), [true, 'TARGETING_MATCH', 'on']);
      assert.deepEqual(
        told(await flags.getBooleanDetails('of-bool', true, { ...USER, country: 'BE' })),
        [false, 'DEFAULT', 'off'],
      );
      assert.deepEqual(told(await flags.getBooleanDetails('of-off', true, USER)), [false, 'DISABLED', 'off']);
      assert.deepEqual(told(await flags.getStringDetails('of-text', '', USER)), ['hello', 'DEFAULT', 'default']);
      assert.deepEqual(told(await flags.getNumberDetails('of-int', 0, USER)), [42, 'DEFAULT', 'default']);
      assert.deepEqual(told(await flags.getNumberDetails('of-float', 0, USER)), [2.5, 'DEFAULT', 'default']);
      assert.deepEqual(
        told(await flags.getObjectDetails('of-object', {}, USER)),
        [{ size: 3, tags: ['a', 'b'] }, 'DEFAULT', 'default'],
      );
      assert.deepEqual(told(await flags.getStringDetails('of-variant', '', USER)), ['new', 'SPLIT', 'treatment']);
      const gated = await flags.getBooleanDetails('of-gated', true, USER);
      assert.deepEqual(told(gated), [false, 'DEFAULT', 'off']);
      assert.deepEqual(gated.flagMetadata, { reason: 'PREREQUISITE_FAILED' });
    });

    test('takes the key as a bearer token', async () => {
      const flags = await client(`bearer ${name}`, url, [['Authorization', `Bearer ${key}`]]);
      assert.equal(await flags.getStringValue('of-text', '', USER), 'hello');
    });

    test('serves the default of the code with the code of the error', async () => {
      const flags = await client(`errors ${name}`, url, [['X-API-Key', key]]);
      const failed = ({ value, reason, errorCode }) => [value, reason, errorCode];
      assert.deepEqual(
        failed(await flags.getStringDetails('of-nowhere', 'code', USER)),
        ['code', 'ERROR', 'FLAG_NOT_FOUND'],
      );
      assert.deepEqual(
        failed(await flags.getStringDetails('of-text', 'code', { country: 'NL' })),
        ['code', 'ERROR', 'TARGETING_KEY_MISSING'],
      );
      assert.deepEqual(failed(await flags.getNumberDetails('of-text', 7, USER)), [7, 'ERROR', 'TYPE_MISMATCH']);
    });

    test('is told when its key is wrong', async () => {
      const flags = await client(`refused ${name}`, url, [['X-API-Key', 'srv_wrong']]);
      const refused = await flags.getStringDetails('of-text', 'code', USER);
      assert.deepEqual([refused.value, refused.errorCode], ['code', 'GENERAL']);
    });
  });
}
