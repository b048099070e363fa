// Keys that are pinned. HALYARD_VECTORS is the folder that a test of clients/rust writes: it has a copy that is signed.

import assert from 'node:assert/strict';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client } from '@halyard/node';
import { ADA, startClient } from './support/client.mjs';
import { KEY, startEdge } from './support/edge.mjs';

const VECTORS = process.env.HALYARD_VECTORS;
const PIN = readFileSync(join(VECTORS, 'signed.key'), 'utf8');
const OTHER = 'A'.repeat(43);

test('what an edge does not sign is not used', async t => {
  const edge = await startEdge(t);
  await assert.rejects(Client.start({ key: KEY, url: edge.url, signingKeys: [PIN], startTimeout: 500 }), {
    code: 'TIMEOUT',
    message: /not signed by a key that is pinned: there is no signature$/,
  });
  for (const signingKeys of [[], undefined]) {
    const { live } = await startClient(edge, { signingKeys });
    assert.equal(live(), 'v0');
  }
});

test('a local copy is used if it is signed by one of them', async t => {
  const edge = await startEdge(t);
  await edge.stop();
  copyFileSync(join(VECTORS, 'signed.copy'), edge.copy);
  for (const [signingKeys, answer] of [
    [[OTHER, PIN], 'signed'],
    [[OTHER], 'none'],
  ]) {
    const settings = { key: KEY, url: edge.url, localCopy: edge.copy, wait: false };
    const client = await Client.start({ ...settings, signingKeys });
    assert.equal(client.string('of-text', ADA, 'none'), answer);
  }
});

test('a text that is no key is an error', async () => {
  const settings = { key: KEY, url: 'http://127.0.0.1:9', signingKeys: ['MCowBQYDK2VwAyEA'] };
  await assert.rejects(Client.start(settings), {
    code: 'SETTINGS',
    message: /^the signing key "MCowBQYD"… is no Ed25519 public key/,
  });
});
