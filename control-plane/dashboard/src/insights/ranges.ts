/** The spans that charts show, and the steps of each. */

export const RANGES = ['hour', 'day', 'month', 'year'] as const;
export type Range = (typeof RANGES)[number];

export interface Span {
  name: '1m' | '1h' | '1d';
  /** In seconds. */
  step: number;
  /** In seconds of Unix time; `to` is the end of the step that has begun. */
  from: number;
  to: number;
}

const STEPS: Record<Range, { name: Span['name']; step: number; count: number }> = {
  hour: { name: '1m', step: 60, count: 60 },
  day: { name: '1h', step: 3600, count: 24 },
  month: { name: '1d', step: 86_400, count: 30 },
  year: { name: '1d', step: 86_400, count: 365 },
};

export function spanOf(range: Range, nowMs: number): Span {
  const { name, step, count } = STEPS[range];
  const to = (Math.floor(nowMs / 1000 / step) + 1) * step;
  return { name, step, from: to - count * step, to };
}

/** Steps that the service answers at once without a flag. */
const MOST_STEPS = 300;

/** The span in parts that the service answers. */
export function partsOf({ from, to, step }: Span): { from: number; to: number }[] {
  const parts: { from: number; to: number }[] = [];
  for (let start = from; start < to; start += MOST_STEPS * step) {
    parts.push({ from: start, to: Math.min(to, start + MOST_STEPS * step) });
  }
  return parts;
}
