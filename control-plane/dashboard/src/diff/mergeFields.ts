/** Three-way merge of a thing, field by field. */

import { isSame } from '../flagState/isSame';
import { sideOf } from './merging';

export interface Merged<T> {
  /** With the fields of both; where both changed one differently, it is mine until one is chosen. */
  merged: T;
  conflicts: (keyof T & string)[];
}

/** `base` is what both started from. */
export function mergeFields<T extends object>(base: T, mine: T, theirs: T): Merged<T> {
  const merged = { ...theirs };
  const conflicts: (keyof T & string)[] = [];
  for (const field of Object.keys(mine) as (keyof T & string)[]) {
    const side = sideOf([base[field], mine[field], theirs[field]]);
    if (side !== 'theirs') merged[field] = mine[field];
    if (side === null) conflicts.push(field);
  }
  return { merged, conflicts };
}

/** The fields of `next` that differ from `base`: what a partial update has to carry. */
export function changedFields<T extends object>(base: T, next: T): Partial<T> {
  const fields = Object.entries(next).filter(([field, value]) => !isSame(value, base[field as keyof T]));
  return Object.fromEntries(fields) as Partial<T>;
}
