/** Versions that are compared and merged: a flag's own fields, its state in an environment, or both. */

import type { Condition, Flag, Rule, StateDraft, Variant } from '../api/model';
import { draftOf } from '../flagState/draft';

export type { Condition, Flag, Rule, Variant };

/** The fields that a write of a state may set. */
export type StateFields = StateDraft;

/** The fields that a write of a flag may set. */
export type FlagFields = Pick<
  Flag,
  'name' | 'description' | 'default_value' | 'tags' | 'prerequisites' | 'mutual_exclusion_group'
>;

/** A part that is left out is not looked at; `null` is a flag that is deleted, or a state that was never stored. */
export interface Parts {
  flag?: FlagFields | null;
  state?: StateFields | null;
}

/** Names of the things that a flag refers to by their keys. */
export interface Names {
  segment: (key: string) => string;
  flag: (key: string) => string;
}

/** The state that counts where none was ever stored. */
export const NO_STATE: StateFields = draftOf({ enabled: false });

export function flagFields(flag: Flag): FlagFields {
  const { name, description, default_value, tags, prerequisites, mutual_exclusion_group } = flag;
  return { name, description, default_value, tags, prerequisites, mutual_exclusion_group };
}

/** Whether two times are the same instant, in whatever way they are written. */
export function sameTime(a: string | null | undefined, b: string | null | undefined): boolean {
  if (!a || !b) return !a === !b;
  return a === b || Date.parse(a) === Date.parse(b);
}
