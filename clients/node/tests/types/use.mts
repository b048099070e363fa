// What the compiler says to those who use the package: each line here compiles, or fails as expected.

import { type Change, Client, Context, type Detail, StartError, type Status } from '@halyard/node';
import { HalyardProvider } from '@halyard/node/openfeature';
import { OpenFeature } from '@openfeature/server-sdk';

await using client: Client = await Client.start({
  key: 'srv_x',
  url: 'https://edge.example',
  localCopy: '/var/lib/app/flags',
  environmentId: '0190a3f0-0000-7000-8000-000000000001',
  signingKeys: ['11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'] as const,
  startTimeout: 100,
  usageInterval: 1000,
  streamSilence: 1000,
  application: 'shop',
  wait: false,
});
export const alone: Client = await Client.fromFile('flags');
const user = new Context('user-1', { plan: 'pro', born: new Date(), tags: ['a', 1], none: undefined });
const like = { key: 'user-1', attributes: { plan: 'pro' } };

export const values: [boolean, string, number, { size: number }, readonly string[]] = [
  client.boolean('a', user, false),
  client.string('a', like, ''),
  client.number('a', { key: 'user-1' }, 0),
  client.json('a', user, { size: 1 }),
  client.json<readonly string[]>('a', user, []),
];
export const details: [Detail<boolean>, Detail<string>, Detail<number>, Detail<{ size: number }>] = [
  client.booleanDetail('a', user, false),
  client.stringDetail('a', user, 'x'),
  client.numberDetail('a', user, 1),
  client.jsonDetail('a', user, { size: 1 }),
];
const { error, reason, variant, version } = details[0];
export const why: [boolean, boolean, string | undefined, number | undefined] = [
  error === 'TYPE_MISMATCH',
  reason === 'TARGETED',
  variant,
  version,
];
export const stop: () => void = client.on('change', ({ flags }: Change) => flags.includes('a'));
client.on('status', (status: Status) => status.state === 'stale' && status.since?.getTime());
client.track('a', 'treatment', 'user-1');
export const rest: [number, string[], Status, Promise<void>] = [
  client.tracksDropped,
  client.flagKeys,
  client.status,
  client.close(),
];
export const isRefused = (why: unknown) => why instanceof StartError && why.code === 'REFUSED';
await OpenFeature.setProviderAndWait(new HalyardProvider(client));
OpenFeature.setProvider(new HalyardProvider({ key: 'srv_x', url: 'https://edge.example' }));

// @ts-expect-error: the fallback has the type of the flag
client.boolean('a', user, 'x');
// @ts-expect-error: there is always a fallback
client.string('a', user);
// @ts-expect-error: a context has a key
client.boolean('a', { attributes: {} }, false);
// @ts-expect-error: attributes are JSON
new Context('user-1', { f: () => 1 });
// @ts-expect-error: there is no such event
client.on('changed', () => {});
// @ts-expect-error: without an address there is nothing to ask
Client.start({ key: 'srv_x' });
// @ts-expect-error: a client is made by start
new Client();
// @ts-expect-error: no such code
export const never = (why: StartError) => why.code === 'OTHER';
