/** The line from 0 to 10,000 on which a bucket is shown, and the thresholds that decide about it. */
import type { StateDraft } from '../../../api/model';
import type { Explanation } from './queries';

export const BUCKETS = 10_000;

export interface Mark {
  /** A bucket below it is let in, or belongs to what is named. */
  at: number;
  /** The owner of the threshold. */
  of:
    | { kind: 'rule'; place: number; description: string }
    | { kind: 'rollout' }
    | { kind: 'variant'; key: string };
  /** Whether the bucket is let in by it, or is drawn by it. */
  holds: boolean;
}

export interface Line {
  kind: 'rollout' | 'variant';
  bucket: number;
  marks: readonly Mark[];
}

/** The lines of an explanation, with the thresholds of the state that was explained. */
export function linesOf(
  explanation: Pick<Explanation, 'buckets' | 'rules'>,
  state: Pick<StateDraft, 'rules' | 'percentage_rollout' | 'variants'>,
): Line[] {
  const { rollout, variant } = explanation.buckets;
  const lines: Line[] = [];
  if (rollout !== null)
    lines.push({ kind: 'rollout', bucket: rollout, marks: rolloutMarks(rollout, explanation, state) });
  if (variant !== null)
    lines.push({ kind: 'variant', bucket: variant, marks: variantMarks(variant, state.variants) });
  return lines;
}

/** The percentages of the rules that were looked at and of the rollout, the lowest first. */
function rolloutMarks(
  bucket: number,
  { rules: tried }: Pick<Explanation, 'rules'>,
  { rules, percentage_rollout }: Pick<StateDraft, 'rules' | 'percentage_rollout'>,
): Mark[] {
  const marks: Mark[] = rules.slice(0, tried.length).flatMap(({ percentage, description }, place) => {
    const at = bounded(percentage);
    return at === BUCKETS
      ? []
      : [{ at, of: { kind: 'rule', place, description }, holds: bucket < at } as Mark];
  });
  if (percentage_rollout !== null) {
    const at = bounded(percentage_rollout);
    marks.push({ at, of: { kind: 'rollout' }, holds: bucket < at });
  }
  return marks.sort((a, b) => a.at - b.at);
}

/** Where each variant ends: the first that ends beyond the bucket is drawn, the last one if none does. */
function variantMarks(bucket: number, variants: StateDraft['variants']): Mark[] {
  let end = 0;
  const ends = variants.map(({ weight }) => {
    end += Math.max(0, weight);
    return Math.min(end, BUCKETS);
  });
  const drawn = ends.findIndex(at => bucket < at);
  const last = drawn === -1 ? variants.length - 1 : drawn;
  return variants.map(({ key }, place) => ({
    at: ends[place] ?? BUCKETS,
    of: { kind: 'variant', key },
    holds: place === last,
  }));
}

function bounded(points: number): number {
  return Math.max(0, Math.min(points, BUCKETS));
}
