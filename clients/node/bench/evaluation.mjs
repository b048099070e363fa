// What an answer takes, on one thread: `HALYARD_BIN_DIR=… npm run bench`, after `npm run build`.

import { Client, Context } from '@halyard/node';
import { HalyardProvider } from '@halyard/node/openfeature';
import { OpenFeature } from '@openfeature/server-sdk';
import native from '../lib/native.js';
import { KEY, startEdge } from '../tests/support/edge.mjs';

/** Rounds of a millisecond or so, since other programs disturb those less. */
const CALLS = 5_000;
const ROUNDS = 200;
/** A number that no client has. */
const NOBODY = 1_000_000;

const ends = [];
const { url } = await startEdge({ after: end => ends.push(end) });
const client = await Client.start({ key: KEY, url });
await OpenFeature.setProviderAndWait(new HalyardProvider(client));
const flags = OpenFeature.getClient();

const attributes = { country: 'NL', plan: 'pro' };
const user = new Context('user-1', attributes);
const object = { key: 'user-1', attributes };
const evaluated = { targetingKey: 'user-1', ...attributes };

/** The median of some rounds. */
async function measure(name, calls, ask) {
  const took = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = process.hrtime.bigint();
    const waited = ask(calls);
    if (waited) await waited;
    took.push(Number(process.hrtime.bigint() - began) / calls);
  }
  took.sort((a, b) => a - b);
  process.stdout.write(`${name.padEnd(44)}${took[ROUNDS >> 1].toFixed(0).padStart(7)} ns\n`);
}

function repeated(ask) {
  return calls => {
    for (let call = 0; call < calls; call += 1) ask();
  };
}

await measure(
  'call of the library that asks nobody',
  CALLS,
  repeated(() => native.boolean(NOBODY, 0, 0, false)),
);
await measure(
  'boolean with a rule',
  CALLS,
  repeated(() => client.boolean('new-checkout', user, false)),
);
await measure(
  'boolean with a rule, context an object',
  CALLS,
  repeated(() => client.boolean('new-checkout', object, false)),
);
await measure(
  'number',
  CALLS,
  repeated(() => client.number('of-number', user, 0)),
);
await measure(
  'string',
  CALLS,
  repeated(() => client.string('of-text', user, '')),
);
await measure(
  'json',
  CALLS,
  repeated(() => client.json('of-object', user, null)),
);
await measure(
  'boolean of no flag',
  CALLS,
  repeated(() => client.boolean('absent', user, false)),
);
await measure(
  'booleanDetail with a rule',
  CALLS,
  repeated(() => client.booleanDetail('new-checkout', user, false)),
);
await measure(
  'new Context',
  CALLS,
  repeated(() => new Context('user-1', attributes)),
);
await measure('OpenFeature, boolean with a rule', CALLS / 10, async calls => {
  for (let call = 0; call < calls; call += 1) await flags.getBooleanValue('new-checkout', false, evaluated);
});

await OpenFeature.close();
await client.close();
for (const end of ends) await end();
