/** Shares as people write them, in per cent, and as the API counts them, in basis points. */

export const WHOLE = 10_000;

/** `12.5`, `12,5` or `12.5 %` as basis points; `null` when it is no share with at most two decimals. */
export function readPercent(typed: string): number | null {
  const found = /^\s*(\d{1,3})(?:[.,](\d{0,2}))?\s*%?\s*$/.exec(typed);
  if (found === null) return null;
  const points = Number(found[1]) * 100 + Number((found[2] ?? '').padEnd(2, '0'));
  return points <= WHOLE ? points : null;
}

/** Basis points as they stand in a field: `12.5`. */
export function typedPercent(points: number): string {
  return String(points / 100);
}
