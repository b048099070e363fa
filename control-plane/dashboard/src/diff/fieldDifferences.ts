/** The difference between two versions of anything else, field by field. */
import { isSame } from '../flagState/isSame';
import { fieldSentence } from './messages';
import { changed, type Sentence } from './sentence';

type Fields = Readonly<Record<string, unknown>>;

/** Fields that every change moves. */
const MOVING = new Set(['updated_at', 'last_used_at', 'revision']);

export function fieldDifferences(before: Fields, after: Fields): Sentence[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter(name => !MOVING.has(name) && !isSame(before[name] ?? null, after[name] ?? null))
    .map(name => changed(fieldSentence(name, before[name], after[name])));
}
