import { describe, expect, it } from 'vitest';
import type { TeamMember } from '../queries';
import { cellOf, edited, mootness, moved, NO_DRAFT, rowsOf, storedCell, without } from './matrix';

const BOTH = { can_toggle: true, can_edit_rules: true };

const ada: Pick<TeamMember, 'member_id' | 'name' | 'permissions' | 'role'> = {
  member_id: 'ada',
  name: 'Ada',
  role: 'developer',
  permissions: [{ env_id: 'production', can_toggle: true, can_edit_rules: false }],
};

describe('a cell', () => {
  it('is what is stored, and both without a stored row', () => {
    expect(storedCell(ada, 'production')).toEqual({ can_toggle: true, can_edit_rules: false });
    expect(storedCell(ada, 'staging')).toEqual(BOTH);
  });

  it('is what was edited, until that is as stored again', () => {
    const once = edited(NO_DRAFT, ada, 'staging', 'can_toggle', false);
    expect(cellOf(once, ada, 'staging')).toEqual({ can_toggle: false, can_edit_rules: true });
    expect(cellOf(once, ada, 'production')).toEqual(storedCell(ada, 'production'));
    expect(edited(once, ada, 'staging', 'can_toggle', true).size).toBe(0);
  });
});

it('one change of a member has all environments that differ', () => {
  const once = edited(NO_DRAFT, ada, 'staging', 'can_toggle', false);
  const draft = edited(once, ada, 'production', 'can_edit_rules', true);
  const [change] = draft.values();
  expect(change && rowsOf(change)).toEqual([
    { env_id: 'staging', can_toggle: false, can_edit_rules: true },
    { env_id: 'production', ...BOTH },
  ]);
  expect(without(draft, ['ada']).size).toBe(0);
  expect(without(draft, ['bob'])).toEqual(draft);
});

it('roles and custom roles make checks moot', () => {
  expect(mootness('owner', null, 'can_toggle')).toEqual({ reason: 'manager', value: true });
  expect(mootness('admin', [], 'can_edit_rules')).toEqual({ reason: 'manager', value: true });
  expect(mootness('viewer', null, 'can_toggle')).toEqual({ reason: 'viewer', value: false });
  expect(mootness('developer', null, 'can_toggle')).toBeNull();
  expect(mootness('developer', ['flags.kill'], 'can_toggle')).toBeNull();
  expect(mootness('developer', ['flags.kill'], 'can_edit_rules')).toEqual({ reason: 'custom', value: false });
});

it('arrows lead to the neighbours and stop at the edges', () => {
  const at = { row: 0, column: 1 };
  expect(moved(at, 'ArrowUp', 3, 4)).toEqual(at);
  expect(moved(at, 'ArrowDown', 3, 4)).toEqual({ row: 1, column: 1 });
  expect(moved(at, 'End', 3, 4)).toEqual({ row: 0, column: 3 });
  expect(moved({ row: 2, column: 3 }, 'ArrowRight', 3, 4)).toEqual({ row: 2, column: 3 });
  expect(moved(at, 'x', 3, 4)).toBeNull();
});
