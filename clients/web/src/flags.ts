import type { Detail, FlagError, Json } from './types.js';

/** One flag's answer. */
export interface Entry {
  readonly value: Json;
  readonly reason: string;
  readonly variant?: string;
  readonly error?: FlagError;
}

export type Flags = ReadonlyMap<string, Entry>;

/** What an answer has. */
export interface Answer {
  flags: Flags;
  /** Where changes are told. */
  stream?: string;
}

/** Values are shared by all who ask for them, so nobody may change them. */
const parse = (text: string) => JSON.parse(text, (_, value) => Object.freeze(value)) as unknown;

const isObject = (value: unknown): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads a flat map of values. Throws if it is anything else. */
export function readValues(text: string): Answer {
  const values = parse(text);
  if (!isObject(values)) throw new Error('not a map of values');
  return {
    flags: new Map(
      Object.entries(values).map(([key, value]) => [key, Object.freeze({ value, reason: 'UNKNOWN' })]),
    ),
  };
}

/** Reads the answer of OFREP with all flags. Throws if it is anything else. */
export function readOfrep(text: string): Answer {
  const answer = parse(text);
  const list = isObject(answer) && answer.flags;
  if (!Array.isArray(list)) throw new Error('no list of flags');
  const flags = new Map<string, Entry>();
  for (const flag of list) {
    if (!isObject(flag) || typeof flag.key !== 'string' || !('value' in flag || 'errorCode' in flag))
      throw new Error('a flag without key or value');
    flags.set(flag.key, entry(flag));
  }
  const streams = isObject(answer) && answer.eventStreams;
  const stream = Array.isArray(streams) && isObject(streams[0]) && streams[0].url;
  return typeof stream === 'string' ? { flags, stream } : { flags };
}

function entry({ value = null, reason, variant, errorCode }: Record<string, Json>): Entry {
  return Object.freeze({
    value,
    reason: typeof reason === 'string' ? reason : 'UNKNOWN',
    ...(typeof variant === 'string' && { variant }),
    ...(errorCode !== undefined && { error: 'GENERAL' as const }),
  });
}

/** `next` with the entries of `held` that are the same, so that what did not change stays the same object; and the keys of all others. */
export function merged(held: Flags, next: Flags): [Flags, string[]] {
  const changed = [...held.keys()].filter(key => !next.has(key));
  const flags = new Map<string, Entry>();
  for (const [key, entry] of next) {
    const before = held.get(key);
    const same = before !== undefined && JSON.stringify(before) === JSON.stringify(entry);
    if (!same) changed.push(key);
    flags.set(key, same ? before : entry);
  }
  return [flags, changed];
}

/** The value of a flag if it is of the type of `fallback`, else that. */
export function detailOf<T>(flags: Flags | undefined, key: string, fallback: T, type: string): Detail<T> {
  const entry = flags?.get(key);
  const error: FlagError | undefined = !flags
    ? 'NOT_READY'
    : !entry
      ? 'FLAG_NOT_FOUND'
      : (entry.error ?? (fits(entry.value, fallback, type) ? undefined : 'TYPE_MISMATCH'));
  return error || !entry
    ? { value: fallback, reason: 'ERROR', error }
    : (entry as Detail<unknown> as Detail<T>);
}

function fits(value: Json, fallback: unknown, type: string): boolean {
  if (typeof value !== type) return false;
  return (
    type !== 'object' ||
    (value !== null && (fallback === null || Array.isArray(value) === Array.isArray(fallback)))
  );
}
