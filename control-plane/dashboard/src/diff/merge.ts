/**
 * Three-way merge: what two people made of the same flag. What only one of them changed is taken; what both changed in
 * the same way is taken once; anything else is a conflict, to be chosen by a person. Nothing is dropped in silence.
 */

import { isSame } from '../flagState/isSame';
import { mergeRules } from './mergeRules';
import { mergeVariants } from './mergeVariants';
import { type Choices, type Conflict, Merging } from './merging';
import { type FlagFields, NO_STATE, type Parts, type StateFields, sameTime } from './versions';

export interface Merge<T = Parts> {
  /** With the choices so far; where nothing is chosen yet it is what is stored. */
  merged: T;
  /** Every conflict, chosen or not. */
  conflicts: Conflict[];
}

export function merge(base: Parts, mine: Parts, theirs: Parts, choices: Choices = {}): Merge {
  const merging = new Merging(choices);
  const merged: Parts = {};
  if (mine.state !== undefined || theirs.state !== undefined) {
    merged.state = mergeState(
      base.state ?? NO_STATE,
      mine.state ?? NO_STATE,
      theirs.state ?? NO_STATE,
      merging,
    );
  }
  if (base.flag && mine.flag && theirs.flag) {
    merged.flag = mergeFlag(base.flag, mine.flag, theirs.flag, merging);
  }
  return { merged, conflicts: merging.conflicts };
}

function mergeState(
  base: StateFields,
  mine: StateFields,
  theirs: StateFields,
  merging: Merging,
): StateFields {
  const one = <F extends keyof StateFields>(
    field: F,
    isEqual?: (a: StateFields[F], b: StateFields[F]) => boolean,
  ) =>
    merging.pick<StateFields[F]>(
      `state.${field}`,
      [base[field], mine[field], theirs[field]],
      value => ({ state: { ...base, [field]: value } }),
      isEqual,
    );
  const time = (field: 'scheduled_enable_at' | 'scheduled_disable_at') =>
    one(field, (a, b) => sameTime(a, b));
  return {
    enabled: one('enabled'),
    default_value: one('default_value'),
    percentage_rollout: one('percentage_rollout'),
    scheduled_enable_at: time('scheduled_enable_at'),
    scheduled_disable_at: time('scheduled_disable_at'),
    rules: mergeRules(base, mine, theirs, merging),
    variants: mergeVariants(base, mine, theirs, merging),
  };
}

function mergeFlag(base: FlagFields, mine: FlagFields, theirs: FlagFields, merging: Merging): FlagFields {
  const one = <F extends keyof FlagFields>(field: F) =>
    merging.pick<FlagFields[F]>(`flag.${field}`, [base[field], mine[field], theirs[field]], value => ({
      flag: { ...base, [field]: value },
    }));
  return {
    name: one('name'),
    description: one('description'),
    default_value: one('default_value'),
    mutual_exclusion_group: one('mutual_exclusion_group'),
    tags: mergeSet(base.tags, mine.tags, theirs.tags),
    prerequisites: mergeSet(base.prerequisites, mine.prerequisites, theirs.prerequisites),
  };
}

/** The additions and the removals of both. */
export function mergeSet(
  base: readonly string[],
  mine: readonly string[],
  theirs: readonly string[],
): string[] {
  if (isSame(mine, base)) return [...theirs];
  if (isSame(theirs, base)) return [...mine];
  const stays = theirs.filter(item => mine.includes(item) || !base.includes(item));
  return [...stays, ...mine.filter(item => !base.includes(item) && !theirs.includes(item))];
}
