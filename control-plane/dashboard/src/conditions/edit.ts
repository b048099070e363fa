/** Conditions and their values while they are typed. */
import type { Condition } from '../api/model';

export const NEW_CONDITION: Condition = { attribute: '', operator: 'in', values: [] };

/**
 * The values in a text: parted by commas, tabs and line ends; in quotes a comma is a part of the value. Each once, in
 * their order. Patterns have commas of their own, so they are parted by tabs and line ends alone.
 */
export function splitValues(text: string, isPattern: boolean): string[] {
  const parts = isPattern
    ? text.split(/[\t\r\n]+/)
    : (text.match(/ *"(?:[^"]|"")*" *(?=[,\t\r\n]|$)|[^,\t\r\n]+/g) ?? []);
  const values = parts.map(part => (isPattern ? part : unquoted(part.trim())));
  return [...new Set(values.filter(value => value !== ''))];
}

function unquoted(part: string): string {
  return part.length > 1 && part.startsWith('"') && part.endsWith('"')
    ? part.slice(1, -1).replaceAll('""', '"')
    : part;
}

/** Separators at which a list is split when its author says so: they may be a part of a value. */
export const SEPARATORS = [';', ' '] as const;

export type Separator = (typeof SEPARATORS)[number];

/** The separator at which some of the values could be split into several; `null` if there is none. */
export function separatorIn(values: readonly string[]): Separator | null {
  return SEPARATORS.find(separator => values.some(value => partsAt(value, separator).length > 1)) ?? null;
}

/** The values, with those that were added last split. Each once. */
export function splitAt(values: readonly string[], added: readonly string[], separator: Separator): string[] {
  return [...new Set(values.flatMap(value => (added.includes(value) ? partsAt(value, separator) : [value])))];
}

function partsAt(value: string, separator: Separator): string[] {
  return value
    .split(separator)
    .map(part => part.trim())
    .filter(part => part !== '');
}

/** The attributes that conditions name, `key` first, the others by their names. */
export function attributesOf(conditions: readonly Condition[]): string[] {
  const names = new Set(conditions.map(({ attribute }) => attribute).filter(name => name !== ''));
  names.delete('key');
  return ['key', ...[...names].sort((a, b) => a.localeCompare(b))];
}
