/** Shares of variants against their weights. */

/** For 95 % of all samples the interval has the true share. */
const Z = 1.959964;

export interface Interval {
  low: number;
  high: number;
}

/** Wilson's interval of a share: it also holds for few and for extreme counts. */
export function wilson(count: number, total: number): Interval {
  if (total <= 0) return { low: 0, high: 1 };
  const share = count / total;
  const spread = Z ** 2 / total;
  const center = (share + spread / 2) / (1 + spread);
  const half = (Z * Math.sqrt((share * (1 - share) + spread / 4) / total)) / (1 + spread);
  return { low: Math.max(0, center - half), high: Math.min(1, center + half) };
}

export interface Weighted {
  key: string;
  /** Basis points. */
  weight: number;
}

export interface Share extends Interval {
  key: string;
  count: number;
  /** Of all that got a variant. */
  share: number;
  /** What the weights say; `null` for a variant that is no longer there. */
  expected: number | null;
  verdict: 'fits' | 'high' | 'low' | 'unknown';
}

/** Below it an interval says next to nothing. */
const FEWEST = 30;

/** Each variant with its share, in the order of the weights; variants that are gone come last. */
export function sharesOf(weights: readonly Weighted[], counts: ReadonlyMap<string, number>): Share[] {
  const total = [...counts.values()].reduce((all, count) => all + count, 0);
  const weighed = weights.reduce((all, { weight }) => all + weight, 0);
  const gone = [...counts.keys()].filter(key => !weights.some(variant => variant.key === key));
  const keys = [...weights.map(({ key }) => key), ...gone];
  return keys.map(key => {
    const count = counts.get(key) ?? 0;
    const weight = weights.find(variant => variant.key === key)?.weight;
    const expected = weight === undefined || weighed === 0 ? null : weight / weighed;
    const interval = wilson(count, total);
    return {
      key,
      count,
      share: total === 0 ? 0 : count / total,
      expected,
      ...interval,
      verdict: verdictOf(expected, interval, total),
    };
  });
}

function verdictOf(expected: number | null, { low, high }: Interval, total: number): Share['verdict'] {
  if (expected === null || total < FEWEST) return 'unknown';
  if (expected < low) return 'high';
  return expected > high ? 'low' : 'fits';
}
