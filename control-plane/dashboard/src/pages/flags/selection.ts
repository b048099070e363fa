/** Chosen flags by their keys, as they were when they were chosen. */
import type { OverviewFlag } from './overview';

export type Selection = ReadonlyMap<string, OverviewFlag>;

/** No more are chosen at a time: they are changed one by one. */
export const MOST_SELECTED = 500;

export function withFlags(before: Selection, flags: readonly OverviewFlag[], isOn: boolean): Selection {
  const after = new Map(before);
  for (const flag of flags) {
    if (!isOn) after.delete(flag.key);
    else if (after.size < MOST_SELECTED) after.set(flag.key, flag);
  }
  return after;
}

/** The rows from one to another, in whichever direction. */
export function between(from: number, to: number): number[] {
  const first = Math.min(from, to);
  return Array.from(
    { length: Math.min(Math.abs(from - to) + 1, MOST_SELECTED) },
    (_, index) => first + index,
  );
}
