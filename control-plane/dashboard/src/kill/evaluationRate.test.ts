import { describe, expect, it } from 'vitest';
import { perMinute, span } from './evaluationRate';

describe('evaluations a minute', () => {
  it('are those of whole minutes, over all series', () => {
    const minutes = span(Date.parse('2026-01-02T15:04:35Z'));
    expect(new Date(minutes.to * 1000).toISOString()).toBe('2026-01-02T15:04:00.000Z');
    const at = (minute: number) => minutes.to + minute * 60;
    const one = {
      flag_key: 'a',
      env_id: 'e',
      value: true,
      value_digest: null,
      variant_key: '',
      reason: 'TARGETED',
    };
    const series = [
      {
        ...one,
        points: [
          [at(-6), 1000],
          [at(-5), 10],
          [at(-1), 20],
          [at(0), 1000],
        ],
      },
      { ...one, points: [[at(-2), 22]] },
    ];
    expect(perMinute({ series }, minutes)).toBe(10);
    expect(perMinute({ series: [] }, minutes)).toBe(0);
  });
});
