/** Conditions and their values while they are typed. */
import type { Condition } from '../api/model';

export const NEW_CONDITION: Condition = { attribute: '', operator: 'in', values: [] };

/**
 * The values in a text: parted by commas and line ends; in quotes a comma is a part of the value. Each once, in
 * their order. Patterns have commas of their own, so they are parted by line ends alone.
 */
export function splitValues(text: string, isPattern: boolean): string[] {
  const parts = isPattern
    ? text.split(/[\r\n]+/)
    : (text.match(/\s*"(?:[^"]|"")*"\s*(?=,|\r|\n|$)|[^,\r\n]+/g) ?? []);
  const values = parts.map(part => (isPattern ? part : unquoted(part.trim())));
  return [...new Set(values.filter(value => value !== ''))];
}

function unquoted(part: string): string {
  return part.length > 1 && part.startsWith('"') && part.endsWith('"')
    ? part.slice(1, -1).replaceAll('""', '"')
    : part;
}

/** The attributes that conditions name, `key` first, the others by their names. */
export function attributesOf(conditions: readonly Condition[]): string[] {
  const names = new Set(conditions.map(({ attribute }) => attribute).filter(name => name !== ''));
  names.delete('key');
  return ['key', ...[...names].sort((a, b) => a.localeCompare(b))];
}
