import { number } from '../messages/format';
import type { Grant } from './queries';

/** Basis points as percentage points. */
const points = (basisPoints: number) => number(basisPoints / 100);

export const grantWords = {
  mine: ({ name, left, max_raise, closed }: Grant) =>
    closed === null
      ? `Your grant “${name}”: ${points(left)} of ${points(max_raise)} points are left.`
      : `Your grant “${name}”: ${closed.message}.`,
  beyond: () => 'What no grant allows needs approval.',
};
