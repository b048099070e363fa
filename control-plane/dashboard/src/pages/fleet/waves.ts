/** The wave of one change: a bar for each edge that serves it, in the order of the time that it took. */
import type { Wave } from './queries';

export interface Bar {
  edge: string;
  region: string | null;
  ms: number;
  /** Of the longest, from 0 to 1. */
  share: number;
}

export interface WaveView {
  bars: readonly Bar[];
  median: number | null;
  last: Bar | null;
  missing: readonly string[];
}

export function waveView(wave: Wave): WaveView {
  const sorted = [...wave.acknowledged].sort(
    (a, b) => a.after_ms - b.after_ms || a.edge.localeCompare(b.edge),
  );
  const longest = Math.max(1, sorted.at(-1)?.after_ms ?? 1);
  const bars = sorted.map(({ edge, region, after_ms }) => ({
    edge,
    region,
    ms: after_ms,
    share: after_ms / longest,
  }));
  return { bars, median: median(bars), last: bars.at(-1) ?? null, missing: wave.lagging };
}

function median(bars: readonly Bar[]): number | null {
  const middle = bars.length / 2;
  const [low, high] = [bars[Math.ceil(middle) - 1], bars[Math.floor(middle)]];
  return low === undefined || high === undefined ? null : (low.ms + high.ms) / 2;
}

/** An id for the address: a version may be in several environments. */
export function waveId(wave: Pick<Wave, 'env_id' | 'version'>): string {
  return `${wave.version}.${wave.env_id}`;
}

/** What one edge took for each of the changes; `null`: it does not serve it, `undefined`: it had no part in it. */
export function timeOf(wave: Wave, edge: string): number | null | undefined {
  const one = wave.acknowledged.find(({ edge: name }) => name === edge);
  if (one !== undefined) return one.after_ms;
  return wave.lagging.includes(edge) ? null : undefined;
}
