/** A context to test a segment with, as typed into one field for each attribute. */
import type { Condition } from '../../api/model';

/** The attributes that the conditions look at, each once, in their order; the key has a field of its own. */
export function askedAttributes(conditions: readonly Condition[]): string[] {
  const names = conditions.map(({ attribute }) => attribute).filter(name => name !== '' && name !== 'key');
  return [...new Set(names)];
}

/** Numbers, booleans, lists and quoted texts are JSON; anything else is a text. Empty is no value at all. */
export function readValue(typed: string): unknown {
  const text = typed.trim();
  if (text === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? typed : value;
  } catch {
    return typed;
  }
}

export function contextOf(key: string, typed: Readonly<Record<string, string>>, names: readonly string[]) {
  const attributes: Record<string, unknown> = {};
  for (const name of names) {
    const value = readValue(typed[name] ?? '');
    if (value !== undefined) attributes[name] = value;
  }
  return { key, attributes };
}
