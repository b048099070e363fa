/** Reports of the service as the lines of a chart. */
import type { components } from '../api/schema';
import { MOST_LINES } from '../charts/looks';
import { type Line, steps, sum, type Timeline } from '../charts/series';
import type { Span } from './ranges';

export type Report = components['schemas']['EvaluationSeriesReport'];
export type Series = Report['series'][number];

/** The member of a series by which lines are told apart. */
export const SPLITS = ['value', 'variant', 'reason', 'environment', 'flag'] as const;
export type Split = (typeof SPLITS)[number];

const MEMBERS = {
  value: 'value',
  variant: 'variant_key',
  reason: 'reason',
  environment: 'env_id',
  flag: 'flag_key',
} as const satisfies Record<Split, keyof Series>;

/** As the parameter `by` has it. */
export function memberOf(split: Split): string {
  return MEMBERS[split];
}

/** Distinguishes lines: what is served is told apart as JSON, or by its digest. */
export function idOf(series: Series, split: Split): string {
  if (split === 'value') return series.value_digest ?? JSON.stringify(series.value ?? null);
  return String(series[MEMBERS[split]] ?? '');
}

/** The line of all that have none of their own. */
export const OTHERS = 'others';

interface Labels {
  of: (series: Series) => string;
  others: () => string;
}

/** One line for each of the largest, one for all others together. Its counts are those of all reports. */
export function timelineOf(
  reports: readonly Report[],
  split: Split,
  { from, to, step }: Span,
  labels: Labels,
): Timeline {
  const at = steps(from, to, step);
  const empty = () => at.map(() => 0);
  const lines = new Map<string, { label: string; counts: number[] }>();
  const others = empty();
  const add = (counts: number[], points: readonly number[][]) => {
    for (const [start = 0, count = 0] of points) {
      const index = Math.floor((start - from) / step);
      if (index in counts) counts[index] = (counts[index] ?? 0) + count;
    }
  };
  for (const { series, left_out } of reports) {
    for (const one of series) {
      const id = idOf(one, split);
      const line = lines.get(id) ?? { label: labels.of(one), counts: empty() };
      lines.set(id, line);
      add(line.counts, one.points);
    }
    add(others, left_out.points);
  }
  const all: Line[] = [...lines].map(([id, line]) => ({ id, ...line }));
  all.sort((a, b) => sum(b.counts) - sum(a.counts));
  const room = sum(others) > 0 || all.length > MOST_LINES ? MOST_LINES - 1 : MOST_LINES;
  for (const { counts } of all.splice(room)) {
    for (const [index, count] of counts.entries()) others[index] = (others[index] ?? 0) + count;
  }
  if (sum(others) > 0) all.push({ id: OTHERS, label: labels.others(), counts: others });
  return { at, step, lines: all };
}

export function totalOf({ lines }: Timeline): number {
  return sum(lines.map(({ counts }) => sum(counts)));
}

/** Counts by the member, of all series. */
export function countsOf(reports: readonly Report[], split: Split): Map<string, number> {
  const counts = new Map<string, number>();
  for (const one of reports.flatMap(({ series }) => series)) {
    const id = idOf(one, split);
    counts.set(id, (counts.get(id) ?? 0) + sum(one.points.map(([, count = 0]) => count)));
  }
  return counts;
}
