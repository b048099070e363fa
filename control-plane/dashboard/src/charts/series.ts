/** Rows of a chart: what was counted in each step, by line. */

export interface Line {
  id: string;
  label: string;
  /** A count for each step. */
  counts: readonly number[];
}

export interface Timeline {
  /** Beginnings of the steps, in seconds of Unix time. */
  at: readonly number[];
  /** In seconds. */
  step: number;
  /** The largest first. */
  lines: readonly Line[];
}

export function sum(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0);
}

/** The counts of all lines at a step. */
export function totalAt({ lines }: Pick<Timeline, 'lines'>, index: number): number {
  return sum(lines.map(({ counts }) => counts[index] ?? 0));
}

/** One on top of the other: the last of them is the total. */
export function stack(lines: readonly Line[]): number[][] {
  const stacked: number[][] = [];
  for (const { counts } of lines) {
    const below = stacked.at(-1);
    stacked.push(counts.map((count, index) => count + (below?.[index] ?? 0)));
  }
  return stacked;
}

/** Beginnings of all steps of a span. */
export function steps(from: number, to: number, step: number): number[] {
  const at: number[] = [];
  for (let start = Math.floor(from / step) * step; start < to; start += step) at.push(start);
  return at;
}

export interface Marker {
  /** In seconds of Unix time. */
  at: number;
  id: string;
}

export interface MarkerGroup {
  /** The number that the chart shows. */
  number: number;
  at: number;
  ids: readonly string[];
}

/** Markers that a chart has room for. */
const MOST_GROUPS = 12;

/** Markers of one step share a line. Where there are too many, neighbouring steps do as well. */
export function groupMarkers(markers: readonly Marker[], { at, step }: Timeline): MarkerGroup[] {
  const [first, last] = [at[0], at.at(-1)];
  if (first === undefined || last === undefined) return [];
  const inside = markers.filter(marker => marker.at >= first && marker.at < last + step);
  for (let width = step; ; width *= 2) {
    const groups = new Map<number, Marker[]>();
    for (const marker of [...inside].sort((a, b) => a.at - b.at)) {
      const place = Math.floor((marker.at - first) / width);
      groups.set(place, [...(groups.get(place) ?? []), marker]);
    }
    if (groups.size > MOST_GROUPS) continue;
    return [...groups.values()].map((group, index) => ({
      number: index + 1,
      at: group[0]?.at ?? first,
      ids: group.map(({ id }) => id),
    }));
  }
}

/** Moves labels apart that would cover each other; they keep their order. Positions are from the top. */
export function spread(wanted: readonly number[], gap: number, low: number, high: number): number[] {
  const order = wanted.map((_, index) => index).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  const placed = [...wanted];
  let edge = low;
  for (const index of order) {
    placed[index] = Math.max(placed[index] ?? 0, edge);
    edge = (placed[index] ?? 0) + gap;
  }
  let limit = high;
  for (const index of order.toReversed()) {
    placed[index] = Math.min(placed[index] ?? 0, limit);
    limit = (placed[index] ?? 0) - gap;
  }
  return placed;
}
