/** How much is asked of a flag. */
import type { components } from '../api/schema';

type Report = Pick<components['schemas']['EvaluationSeriesReport'], 'series'>;

const MINUTE = 60;
/** Whole minutes that are looked at: what edges counted last may be on its way. */
export const MINUTES = 5;

/** The span of the minutes that are over, in seconds of Unix time. */
export function span(nowMs: number): { from: number; to: number } {
  const to = Math.floor(nowMs / 1000 / MINUTE) * MINUTE;
  return { from: to - MINUTES * MINUTE, to };
}

/** Evaluations a minute, rounded. */
export function perMinute({ series }: Report, { from, to }: { from: number; to: number }): number {
  let sum = 0;
  for (const { points } of series) {
    for (const [at = 0, count = 0] of points) if (at >= from && at < to) sum += count;
  }
  return Math.round(sum / MINUTES);
}
