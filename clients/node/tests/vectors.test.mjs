// Every case that defines the meaning of a flag. HALYARD_VECTORS is the folder that a test of clients/rust writes.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client } from '@halyard/node';

const CASES = 2628;

test('every case has its answer', async () => {
  const folder = process.env.HALYARD_VECTORS;
  assert.ok(
    folder,
    'HALYARD_VECTORS is not set: target/tmp/vectors, after cargo test -p halyard --test conformance',
  );
  const lines = readFileSync(join(folder, 'cases.jsonl'), 'utf8').trimEnd().split('\n');
  const cases = lines.map(line => JSON.parse(line));
  const clients = new Map();
  for (const { file } of cases)
    if (!clients.has(file)) clients.set(file, await Client.fromFile(join(folder, file)));
  const wrong = cases.flatMap(({ file, name, flag, context, value, reason, variant, version }) => {
    const answer = clients.get(file).jsonDetail(flag, context, null);
    const found = {
      value: answer.value,
      reason: answer.reason,
      variant: answer.variant ?? '',
      version: answer.version,
    };
    try {
      assert.deepStrictEqual(found, { value, reason, variant, version });
      typed(clients.get(file), flag, context, value, reason);
      return [];
    } catch (why) {
      return [`${file}: ${name}: ${why.message}`];
    }
  });
  assert.equal(wrong.length, 0, `${wrong.length} mismatches, such as ${wrong.slice(0, 5).join('\n')}`);
  assert.equal(cases.length, CASES);
});

/** The getter of the value's type answers with it, the others with what they are given. */
function typed(client, flag, context, value, reason) {
  const others = { boolean: true, number: 0.25, string: 'fallback' };
  for (const [type, fallback] of Object.entries(others)) {
    const { value: found, error } = client[`${type}Detail`](flag, context, fallback);
    assert.equal(client[type](flag, context, fallback), found);
    if (reason === 'NOT_FOUND') assert.equal(error, 'FLAG_NOT_FOUND');
    else if (typeof value === type) assert.equal(found, value);
    else assert.deepEqual([found, error], [fallback, 'TYPE_MISMATCH']);
  }
}
