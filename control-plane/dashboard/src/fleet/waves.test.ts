import { describe, expect, it } from 'vitest';
import type { WaveEvent } from '../api/events';
import { progress, readAnswer, received, waveOf } from './waves';

function wave(version: number, served: Record<string, number>, lagging: string[] = []): WaveEvent {
  const acknowledged = Object.entries(served).map(([edge, after_ms]) => ({ edge, after_ms }));
  return { env_id: 'e', version, committed_at: '2026-01-02T15:04:05Z', acknowledged, lagging };
}

function told(...events: [WaveEvent, number][]) {
  return events.reduce<ReturnType<typeof received>>((known, [event, at]) => received(known, event, at), []);
}

describe('the wave of a write', () => {
  const known = told(
    [wave(7, { a: 3 }, ['b']), 10],
    [wave(8, { a: 2 }, ['b']), 20],
    [wave(7, { a: 3, b: 30 }), 40],
  );

  it('before the answer is the newest that began after the write', () => {
    expect(waveOf(known, 'e', 15, null)?.version).toBe(8);
  });

  it('is not an earlier one of which more is told meanwhile', () => {
    expect(waveOf(known, 'e', 25, null)).toBeNull();
  });

  it('with the answer is that of its version, or the next that holds it', () => {
    const answer = { version: 7, acknowledged: [], lagging: [] };
    expect(waveOf(known, 'e', 15, answer)?.version).toBe(7);
    expect(waveOf(told([wave(9, {}), 50]), 'e', 15, answer)?.version).toBe(9);
    expect(waveOf(told([wave(6, {}), 50]), 'e', 15, answer)).toBeNull();
  });

  it('is never one of another environment', () => {
    expect(waveOf(known, 'other', 0, null)).toBeNull();
  });
});

it('fifty waves are kept', () => {
  const many = Array.from({ length: 60 }, (_, version): [WaveEvent, number] => [wave(version, {}), version]);
  const known = told(...many);
  expect(known).toHaveLength(50);
  expect(known[0]?.wave.version).toBe(10);
});

describe('the progress of a write', () => {
  const late = { version: 7, acknowledged: ['a'], lagging: ['b'] };

  it('is unknown at first', () => {
    expect(progress(null, null)).toBeNull();
  });

  it('counts who serves it, until the slowest of them', () => {
    expect(progress(wave(7, { a: 3, c: 41 }, ['b']), null)).toEqual({
      served: 2,
      total: 3,
      ms: 41,
      lagging: ['b'],
      isOver: false,
    });
  });

  it('is over when nobody lags', () => {
    expect(progress(wave(7, { a: 3 }), null)?.isOver).toBe(true);
  });

  it('is that of the answer where the stream tells nothing', () => {
    expect(progress(null, late)).toEqual({ served: 1, total: 2, ms: null, lagging: ['b'], isOver: true });
  });

  it('follows who comes after the answer', () => {
    expect(progress(wave(7, { a: 3, b: 6200 }), late)).toMatchObject({ served: 2, ms: 6200, lagging: [] });
  });

  it('without any edge is 0 of 0', () => {
    expect(progress(null, { version: 7, acknowledged: [], lagging: [] })).toMatchObject({
      served: 0,
      total: 0,
    });
  });
});

it('the answer is read from the headers', () => {
  const headers = new Headers({
    'x-snapshot-version': '42',
    'x-edges-acknowledged': 'a,b',
    'x-edges-lagging': '',
  });
  expect(readAnswer(headers)).toEqual({ version: 42, acknowledged: ['a', 'b'], lagging: [] });
  expect(readAnswer(new Headers())).toEqual({ version: null, acknowledged: [], lagging: [] });
});
