/** What promoting a flag changes in the target, and what it leaves alone. */
import { differences } from '../../diff/differences';
import type { Sentence } from '../../diff/sentence';
import { type Names, NO_STATE } from '../../diff/versions';
import { draftOf } from '../../flagState/draft';
import { promoted } from '../../flagState/promoted';
import type { Differing } from './queries';

export interface Difference {
  /** The target as it is, against the source. */
  all: Sentence[];
  /** Of these, what promoting changes, and what it does not. */
  copied: Sentence[];
  left: Sentence[];
  /** Whether the source has variants that the target has not. */
  hasVariants: boolean;
  /** Promoting needs a stored source, and something to change. */
  canPromote: boolean;
}

export function differenceOf({ from, to, differs }: Differing, names: Names): Difference {
  const source = from === null ? NO_STATE : draftOf(from);
  const target = to === null ? NO_STATE : draftOf(to);
  const after = promoted(source, target);
  return {
    all: differences({ state: target }, { state: source }, names),
    copied: differences({ state: target }, { state: after }, names),
    left: differences({ state: after }, { state: source }, names),
    hasVariants: differs.includes('variants'),
    canPromote: from !== null && differs.some(field => !isLeft(field)),
  };
}

function isLeft(field: string): boolean {
  return field === 'scheduled_enable_at' || field === 'scheduled_disable_at';
}
