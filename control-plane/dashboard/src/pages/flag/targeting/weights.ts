/** The weights of variants: their sum, and what a change of them does to people. */
import type { Variant } from '../../../api/model';
import { WHOLE } from './percent';

export function sumOf(variants: readonly Variant[]): number {
  return variants.reduce((sum, { weight }) => sum + weight, 0);
}

/** The same weight for all, and what is left over to the first ones. */
export function evened(variants: readonly Variant[]): Variant[] {
  const each = Math.floor(WHOLE / variants.length);
  const over = WHOLE - each * variants.length;
  return variants.map((variant, place) => ({ ...variant, weight: each + (place < over ? 1 : 0) }));
}

/**
 * How many of 10,000 contexts get another variant than before. Each context has one place on a line of 10,000, and
 * variants lie on it in their order, so that one in the middle that grows pushes all that follow.
 */
export function movedShare(before: readonly Variant[], after: readonly Variant[]): number {
  const old = pieces(before);
  let stays = 0;
  for (const piece of pieces(after)) {
    const same = old.find(({ key }) => key === piece.key);
    if (same === undefined) continue;
    stays += Math.max(0, Math.min(same.end, piece.end) - Math.max(same.start, piece.start));
  }
  return WHOLE - stays;
}

interface Piece {
  key: string;
  start: number;
  end: number;
}

function pieces(variants: readonly Variant[]): Piece[] {
  let start = 0;
  return variants.map(({ key, weight }) => {
    const piece = { key, start, end: start + weight };
    start = piece.end;
    return piece;
  });
}
