/** Values of flags as they are typed and shown, by the type of the flag. */
import type { FlagType } from '../api/model';

export type Read = { ok: true; value: unknown } | { ok: false; why: WrongValue };

/** Why a text is no value of a flag's type. */
export type WrongValue = 'number' | 'json' | 'structure' | 'null' | 'boolean' | 'string';

const NUMBER = /^-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** Reads what is typed; text is taken as it is. */
export function readValue(type: FlagType, typed: string, mayBeNull: boolean): Read {
  if (type === 'string') return { ok: true, value: typed };
  const text = typed.trim();
  if (type === 'number') {
    const value = Number(text);
    return NUMBER.test(text) && Number.isFinite(value) ? { ok: true, value } : { ok: false, why: 'number' };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, why: 'json' };
  }
  const why = wrongOf(type, value, mayBeNull);
  return why === null ? { ok: true, value } : { ok: false, why };
}

/** Why a value does not have the flag's type; `null` when it does. */
export function wrongOf(type: FlagType, value: unknown, mayBeNull: boolean): WrongValue | null {
  const takesNull = type === 'json' || type === 'ab';
  if (value === null && takesNull) return mayBeNull ? null : 'null';
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean' ? null : 'boolean';
    case 'string':
      return typeof value === 'string' ? null : 'string';
    case 'number':
      return typeof value === 'number' ? null : 'number';
    case 'json':
      return typeof value === 'object' ? null : 'structure';
    case 'ab':
      return null;
  }
}

/** A value as it stands in the field that edits it. */
export function typedValue(type: FlagType, value: unknown): string {
  if (type === 'string' && typeof value === 'string') return value;
  const isNested = typeof value === 'object' && value !== null && JSON.stringify(value).length > 60;
  return JSON.stringify(value, null, isNested ? 2 : 0) ?? '';
}

const LONGEST = 60;

/** A value within a sentence: short, texts in quotes. */
export function shownValue(value: unknown): string {
  const text = typeof value === 'string' ? `“${value}”` : (JSON.stringify(value) ?? '');
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** The value that a new rule or variant has. */
export function firstValue(type: FlagType, flagDefault: unknown): unknown {
  return type === 'boolean' ? true : flagDefault;
}
