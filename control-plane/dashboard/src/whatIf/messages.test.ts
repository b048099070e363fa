import { describe, expect, it } from 'vitest';
import { share, whatIf } from './messages';
import type { WhatIfAnswer } from './queries';

const ANSWER: WhatIfAnswer = {
  id: 'q',
  env_id: 'e',
  asked_at: '2026-01-02T15:04:05Z',
  is_open: false,
  edges: { asked: 2, answered: 2, not_sampling: 0, refused: 0, busy: 0 },
  since: '2026-01-01T16:00:00Z',
  samples: 12_000,
  answers: 412_000,
  changed: 13_184,
  share: 0.032,
  interval: { low: 0.029, high: 0.035, confidence: 0.99 },
  transitions: [],
  groups: [],
  examples: [],
  not_sampled: [],
  names_keys: false,
};

describe('an estimate in words', () => {
  it('has its range', () => {
    expect(whatIf.sentence(ANSWER)).toBe(
      'Over the last 24 hours this would have changed 3.2% of answers (2.9% to 3.5%).',
    );
  });

  it('says how far samples go back', () => {
    const young = { ...ANSWER, since: '2026-01-02T15:00:00Z' };
    expect(whatIf.sentence(young)).toMatch(/^Over the last hour this/);
    expect(whatIf.sentence({ ...young, since: '2026-01-02T12:00:00Z' })).toMatch(
      /^Over the last 4 hours this/,
    );
  });

  it('tells nothing from very little, and very much from all', () => {
    expect([0, 0.000001, 0.0001, 0.11843, 0.999999, 1].map(share)).toEqual([
      '0%',
      'less than 0.01%',
      '0.01%',
      '11.8%',
      'more than 99.99%',
      '100%',
    ]);
  });

  it('is none without samples', () => {
    expect(whatIf.sentence({ ...ANSWER, share: null, interval: null })).toMatch(/no samples yet/);
  });
});

describe('what an estimate leaves out', () => {
  it('is nothing when all edges answered', () => {
    expect(whatIf.warnings(ANSWER)).toEqual([]);
  });

  it('are edges, by what kept them from answering', () => {
    const edges = { asked: 7, answered: 2, not_sampling: 1, refused: 0, busy: 2 };
    expect(whatIf.warnings({ ...ANSWER, edges })).toEqual([
      'Of 7 edges, 1 has no samples by this setting yet, 2 had too much to do and 2 did not answer.',
    ]);
    expect(whatIf.warnings({ ...ANSWER, edges, is_open: true })[0]).not.toMatch(/did not answer/);
    const none = { asked: 0, answered: 0, not_sampling: 0, refused: 0, busy: 0 };
    expect(whatIf.warnings({ ...ANSWER, edges: none })).toEqual(['No edge serves this environment.']);
  });

  it('are few samples, attributes that are not kept, and hashed keys', () => {
    const said = whatIf.warnings({
      ...ANSWER,
      samples: 1,
      not_sampled: ['country', 'plan'],
      names_keys: true,
    });
    expect(said).toHaveLength(3);
    expect(said[0]).toBe('There is only 1 sample, so the range is wide.');
    expect(said[1]).toMatch(/^Edges do not keep country and plan, which decide these answers\./);
  });
});
