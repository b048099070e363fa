import { describe, expect, it } from 'vitest';
import { behind } from './behind';
import { names } from './edges';
import type { OverviewState } from './overview';
import { pagesOf } from './pages';
import { mayEditRules, mayRequest, mayToggle } from './permissions';

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

describe('the pages of rows', () => {
  it.each([
    [[], [0]],
    [[0, 99], [0]],
    [
      [95, 105],
      [0, 1],
    ],
    [
      [9980, 9999],
      [0, 99],
    ],
    [
      [199, 200],
      [0, 1, 2],
    ],
    // The row with the tab stop is far from those in view: nothing between them is asked for.
    [
      [3, 7400, 7401],
      [0, 74],
    ],
  ])('of the rows %j are %j', (rows, pages) => {
    expect(pagesOf(rows)).toEqual(pages);
  });
});

describe('behind a switch', () => {
  it('is nothing when everyone gets the same', () => {
    expect(behind(PLAIN, NOW)).toEqual([]);
    expect(behind({ ...PLAIN, percentage_rollout: 10_000 }, NOW)).toEqual([]);
  });

  it('are rules, rollout, variants and approvals, in words', () => {
    const state = { ...PLAIN, rules: 1, percentage_rollout: 1250, variants: 3, pending_approvals: 2 };
    expect(behind(state, NOW)).toEqual(['1 rule', '12.5%', '3 variants', '2 approvals pending']);
  });

  it('are schedules, with the year only when it is another one', () => {
    const soon = behind({ ...PLAIN, scheduled_enable_at: '2026-11-24T09:00:00' }, NOW);
    expect(soon).toHaveLength(1);
    expect(soon[0]).toMatch(/^on 24 Nov.*0?9:00$/);
    const later = behind({ ...PLAIN, scheduled_disable_at: '2027-06-24T09:00:00' }, NOW);
    expect(later[0]).toMatch(/^off 24 Jun 2027.*0?9:00$/);
  });

  it('a rollout of nobody is not the same as none', () => {
    expect(behind({ ...PLAIN, percentage_rollout: 0 }, NOW)).toEqual(['0%']);
  });
});

describe('who may switch', () => {
  const stored = [{ env_id: 'production', can_toggle: false, can_edit_rules: true }];

  it('needs the permission', () => {
    expect(
      mayToggle({ role: 'owner', permissions: ['flags.read'], environment_permissions: [] }, 'dev'),
    ).toBe(false);
  });

  it('a developer may where nothing is stored, and not where it is forbidden', () => {
    const me = { role: 'developer', permissions: ['flags.toggle'], environment_permissions: stored } as const;
    expect(mayToggle({ ...me, permissions: [...me.permissions] }, 'dev')).toBe(true);
    expect(mayToggle({ ...me, permissions: [...me.permissions] }, 'production')).toBe(false);
  });

  it('what is stored does not bind an admin', () => {
    const me = { role: 'admin', permissions: ['flags.toggle'], environment_permissions: stored } as const;
    expect(mayToggle({ ...me, permissions: [...me.permissions] }, 'production')).toBe(true);
  });
});

it('editing rules is allowed apart from switching', () => {
  const stored = [{ env_id: 'production', can_toggle: true, can_edit_rules: false }];
  const me = {
    role: 'developer' as const,
    permissions: ['flags.edit_rules'],
    environment_permissions: stored,
  };
  expect(mayEditRules(me, 'dev')).toBe(true);
  expect(mayEditRules(me, 'production')).toBe(false);
  expect(mayEditRules({ ...me, role: 'admin' }, 'production')).toBe(true);
  expect(mayEditRules({ ...me, permissions: ['flags.toggle'] }, 'dev')).toBe(false);
  expect(mayRequest(me)).toBe(false);
  expect(mayRequest({ permissions: ['approvals.create'] })).toBe(true);
});

it('edges are listed with commas between', () => {
  expect(names('fra-1,ams-1')).toEqual(['fra-1', 'ams-1']);
  expect(names('')).toEqual([]);
  expect(names(null)).toEqual([]);
});
