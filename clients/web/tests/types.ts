// What the compiler says to those who use the package: each line here compiles, or fails as expected.

import { type Client, createClient, type Detail, type Json, type Status } from '@halyard/web';
import { useFlag, useFlagDetail } from '@halyard/web/react';

const client: Client = createClient({ key: 'cli_x', url: 'https://edge.example' });

export const values: [boolean, string, number, { size: number }, readonly string[]] = [
  client.boolean('a', false),
  client.string('a', ''),
  client.number('a', 0),
  client.json('a', { size: 1 }),
  client.json<readonly string[]>('a', []),
];
export const details: [Detail<boolean>, Detail<string>, Detail<{ size: number }>] = [
  client.detail('a', false),
  client.detail('a', 'x'),
  client.detail('a', { size: 1 }),
];
export const used: [boolean, string, number, { size: number }, Detail<number>] = [
  useFlag('a', false),
  useFlag('a', 'x'),
  useFlag('a', 1),
  useFlag('a', { size: 1 }),
  useFlagDetail('a', 1),
];
export const all: Record<string, Json> = client.all();
export const stop: () => void = client.on('change', keys => keys.includes('a'));
client.on('status', (status: Status) => status === 'stale');
client.on('error', ({ code, status }) => code === 'REFUSED' && status === 401);

// @ts-expect-error: the fallback has the type of the flag
client.boolean('a', 'x');
// @ts-expect-error: a JSON flag is an object or an array
client.json('a', 5);
// @ts-expect-error: there is always a fallback
client.string('a');
// @ts-expect-error: there is no such event
client.on('changed', () => {});
// @ts-expect-error: attributes are JSON
client.identify({ attributes: { born: new Date() } });
// @ts-expect-error: without an address there is nothing to ask
createClient({ key: 'cli_x' });
