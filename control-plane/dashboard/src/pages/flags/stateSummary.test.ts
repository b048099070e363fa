import { describe, expect, it } from 'vitest';
import type { OverviewState } from './overview';
import { stateSummary } from './stateSummary';

const NOW = Date.parse('2026-03-01T12:00:00Z');

const PLAIN: OverviewState = {
  enabled: true,
  rules: 0,
  percentage_rollout: null,
  variants: 0,
  scheduled_enable_at: null,
  scheduled_disable_at: null,
  pending_approvals: 0,
  version: 1,
  updated_at: '2026-01-02T15:04:05Z',
  updated_by: null,
};

describe('behind a switch', () => {
  it('is nothing when everyone gets the same', () => {
    expect(stateSummary(PLAIN, NOW)).toEqual([]);
    expect(stateSummary({ ...PLAIN, percentage_rollout: 10_000 }, NOW)).toEqual([]);
  });

  it('are rules, rollout and variants, in words', () => {
    const state = { ...PLAIN, rules: 1, percentage_rollout: 1250, variants: 3 };
    expect(stateSummary(state, NOW)).toEqual(['1 rule', '12.5%', '3 variants']);
  });

  it('are schedules, with the year only when it is another one', () => {
    const soon = stateSummary({ ...PLAIN, scheduled_enable_at: '2026-11-24T09:00:00' }, NOW);
    expect(soon).toHaveLength(1);
    expect(soon[0]).toMatch(/^on 24 Nov.*0?9:00$/);
    const later = stateSummary({ ...PLAIN, scheduled_disable_at: '2027-06-24T09:00:00' }, NOW);
    expect(later[0]).toMatch(/^off 24 Jun 2027.*0?9:00$/);
  });

  it('a rollout of nobody is not the same as none', () => {
    expect(stateSummary({ ...PLAIN, percentage_rollout: 0 }, NOW)).toEqual(['0%']);
  });
});
