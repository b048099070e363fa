// An environment and keys that are pinned. HALYARD_VECTORS is the folder that a test of clients/rust writes: it has a copy that is signed.

import assert from 'node:assert/strict';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client } from '@halyard/node';
import { ADA, startClient } from './support/client.mjs';
import { KEY, startEdge } from './support/edge.mjs';

const VECTORS = process.env.HALYARD_VECTORS;
const ENVIRONMENT = readFileSync(join(VECTORS, 'signed.environment'), 'utf8');
const PIN = readFileSync(join(VECTORS, 'signed.key'), 'utf8');
const OTHER = 'A'.repeat(43);
const ANOTHER = '0190a3f0-0000-7000-8000-000000000001';

test('what an edge does not sign is not used', async t => {
  const edge = await startEdge(t);
  const pins = { environmentId: ENVIRONMENT, signingKeys: [PIN] };
  await assert.rejects(Client.start({ key: KEY, url: edge.url, ...pins, startTimeout: 500 }), {
    code: 'TIMEOUT',
    message: /not signed by a key that is pinned: there is no signature$/,
  });
  const { live } = await startClient(edge, { environmentId: undefined, signingKeys: undefined });
  assert.equal(live(), 'v0');
});

test('a local copy is used if one of the keys signed it of the environment', async t => {
  const edge = await startEdge(t);
  await edge.stop();
  copyFileSync(join(VECTORS, 'signed.copy'), edge.copy);
  for (const [environmentId, signingKeys, answer] of [
    [ENVIRONMENT, [OTHER, PIN], 'signed'],
    [ENVIRONMENT, [OTHER], 'none'],
    [ANOTHER, [PIN], 'none'],
  ]) {
    const settings = { key: KEY, url: edge.url, localCopy: edge.copy, wait: false };
    const client = await Client.start({ ...settings, environmentId, signingKeys });
    assert.equal(client.string('of-text', ADA, 'none'), answer);
  }
});

test('pins that are none are errors', async () => {
  for (const [given, message] of [
    [{ signingKeys: [PIN, 'MCowBQYDK2VwAyEA'] }, /^the signing key "MCowBQYD"… is no Ed25519 public key/],
    [{ signingKeys: [] }, /^there are no signing keys to pin$/],
    [{ signingKeys: undefined }, /^environmentId needs signingKeys too$/],
    [{ environmentId: undefined }, /^signingKeys needs environmentId too$/],
    [{ environmentId: 'production' }, /^the environment id "producti"… is no UUID$/],
  ]) {
    const settings = { key: KEY, url: 'http://127.0.0.1:9', environmentId: ENVIRONMENT, signingKeys: [PIN] };
    await assert.rejects(Client.start({ ...settings, ...given }), { code: 'SETTINGS', message });
  }
});
