/** Propagation of changes to the edges, by the event stream, and the rule by which that of a write is found. */
import type { WaveEvent } from '../api/events';
import { createStore } from '../ui/createStore';
import { names } from './edges';

/** Waves that are kept; each is a change of one environment, watched for seconds. */
const KEPT = 50;

interface Kept {
  /** When the first word of it came, by the clock that `performance.now()` reads. */
  since: number;
  wave: WaveEvent;
}

const kept = createStore<readonly Kept[]>([]);

/** Takes what the stream says. */
export function receiveWave(wave: WaveEvent, now: number): void {
  kept.set(received(kept.get(), wave, now));
}

export const useWaves = kept.use;

/** A later event about the same version takes the place of the earlier one, which it contains. */
export function received(before: readonly Kept[], wave: WaveEvent, now: number): readonly Kept[] {
  const earlier = before.find(item => item.wave.env_id === wave.env_id && item.wave.version === wave.version);
  const others = before.filter(item => item !== earlier);
  return [...others, { since: earlier?.since ?? now, wave }].slice(-KEPT);
}

/** The answer to a write with `?wait=edges`: the version with the change, and the edges that serve it. */
export interface Answer {
  version: number | null;
  acknowledged: readonly string[];
  lagging: readonly string[];
}

export function readAnswer(headers: Headers): Answer {
  const version = headers.get('x-snapshot-version');
  return {
    version: version !== null && /^\d+$/.test(version) ? Number(version) : null,
    acknowledged: names(headers.get('x-edges-acknowledged')),
    lagging: names(headers.get('x-edges-lagging')),
  };
}

/**
 * The wave of a write. Before its answer its version is not known: then it is the newest that began after the write
 * did. An edge that serves a later version serves this change too.
 */
export function waveOf(
  known: readonly Kept[],
  envId: string,
  since: number,
  answer: Answer | null,
): WaveEvent | null {
  const own = known.filter(item => item.wave.env_id === envId);
  const version = answer?.version ?? null;
  const fitting =
    version === null
      ? own.filter(item => item.since >= since)
      : own.filter(item => item.wave.version >= version);
  return fitting.reduce<WaveEvent | null>(
    (best, { wave }) => (best === null || isBetter(wave, best, version) ? wave : best),
    null,
  );
}

/** The nearest to the version that is known, else the newest. */
function isBetter(wave: WaveEvent, than: WaveEvent, version: number | null): boolean {
  return version === null ? wave.version > than.version : wave.version < than.version;
}

export interface Progress {
  served: number;
  total: number;
  /** Until the last edge that serves it did; unknown without the stream. */
  ms: number | null;
  lagging: readonly string[];
  /** Nothing more will come: all edges serve it, or the service has waited as long as it does. */
  isOver: boolean;
}

/** How far a write has come, by the stream and by its answer; `null` while neither has said anything. */
export function progress(wave: WaveEvent | null, answer: Answer | null): Progress | null {
  if (wave === null && answer === null) return null;
  const served = new Set(answer?.acknowledged ?? []);
  for (const { edge } of wave?.acknowledged ?? []) served.add(edge);
  const waited = new Set([...(wave?.lagging ?? []), ...(answer?.lagging ?? [])]);
  const lagging = [...waited].filter(edge => !served.has(edge)).sort();
  const times = (wave?.acknowledged ?? []).map(({ after_ms }) => after_ms);
  return {
    served: served.size,
    total: served.size + lagging.length,
    ms: times.length === 0 ? null : Math.max(...times),
    lagging,
    isOver: answer !== null || lagging.length === 0,
  };
}
