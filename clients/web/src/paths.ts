import { type Answer, readOfrep, readValues } from './flags.js';
import type { Context, Options } from './types.js';

/** One of the two ways to ask for all flags of one context. */
export interface Paths {
  flags: string;
  body(context: Context): string;
  /** Throws if the answer cannot be read. */
  read(text: string): Answer;
  /** The address where changes are told, and the headers for it. */
  stream(answer: Answer): [url: string, headers: Record<string, string>] | undefined;
}

/** The key for those who have none, which the service takes as well. */
export const keyOf = (context: Context) => context.key || 'anonymous';

export function pathsOf({ key, environment }: Options, url: string): Paths {
  if (environment === undefined)
    return {
      flags: `${url}/ofrep/v1/evaluate/flags`,
      body: context => JSON.stringify({ context: { ...context.attributes, targetingKey: keyOf(context) } }),
      read: readOfrep,
      // The address has a credential of its own.
      stream: ({ stream }) => (stream ? [stream, {}] : undefined),
    };
  const name = encodeURIComponent(environment);
  return {
    flags: `${url}/v1/client/${name}/flags`,
    body: context =>
      JSON.stringify({ context: { key: keyOf(context), attributes: context.attributes ?? {} } }),
    read: readValues,
    stream: () => [`${url}/v1/stream/${name}`, { 'X-API-Key': key }],
  };
}
