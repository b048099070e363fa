/** Choices and conflicts while two people's versions are merged. */

import { isSame } from '../flagState/isSame';
import type { Parts } from './versions';

export type Side = 'mine' | 'theirs';

/** The side whose value of three is taken; `null` where both changed it, and differently. */
export function sideOf<V>(
  [base, mine, theirs]: readonly [V, V, V],
  isEqual: (a: V, b: V) => boolean = isSame,
): Side | null {
  if (isEqual(mine, base) || isEqual(mine, theirs)) return 'theirs';
  return isEqual(theirs, base) ? 'mine' : null;
}

/** The chosen sides, by the `field` of the conflict. */
export type Choices = Readonly<Record<string, Side>>;

export interface Conflict {
  /** Where, as a path: `state.enabled`, `state.rules/<id>/percentage`. */
  field: string;
  /** The base, and each side with this field alone changed: their differences describe the conflict. */
  base: Parts;
  mine: Parts;
  theirs: Parts;
}

/** A merge under way: what was chosen, and the conflicts found. */
export class Merging {
  readonly conflicts: Conflict[] = [];
  readonly choices: Choices;

  constructor(choices: Choices) {
    this.choices = choices;
  }

  /** The side to take, where both changed the same thing. `parts` has the whole under each side. */
  clash(field: string, parts: Omit<Conflict, 'field'>): Side {
    this.conflicts.push({ field, ...parts });
    return this.choices[field] ?? 'theirs';
  }

  /** One value of three. */
  pick<V>(
    field: string,
    values: readonly [V, V, V],
    parts: (value: V) => Parts,
    isEqual?: (a: V, b: V) => boolean,
  ): V {
    const [base, mine, theirs] = values;
    const side =
      sideOf(values, isEqual) ??
      this.clash(field, { base: parts(base), mine: parts(mine), theirs: parts(theirs) });
    return side === 'mine' ? mine : theirs;
  }
}
