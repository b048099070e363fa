import { describe, expect, it } from 'vitest';
import type { Edit } from '../../../flagState/editFlags';
import type { OverviewFlag } from '../overview';
import { changes, undoOf } from './edit';

const flag = (key: string, more: Partial<OverviewFlag> = {}) =>
  [key, { key, tags: [], states: {}, ...more } as unknown as OverviewFlag] as const;
const ON = { states: { dev: { enabled: true } } } as unknown as Partial<OverviewFlag>;

describe('an edit changes a flag', () => {
  it.each<[Edit, boolean]>([
    [{ action: 'enable', env_id: 'dev' }, false],
    [{ action: 'disable', env_id: 'dev' }, true],
    [{ action: 'enable', env_id: 'other' }, true],
    [{ action: 'disable', env_id: 'other' }, false],
    [{ action: 'tag', tag: 'web' }, false],
    [{ action: 'untag', tag: 'web' }, true],
    [{ action: 'promote', env_id: 'dev', target_env_id: 'other' }, true],
  ])('%j: %s', (edit, expected) => {
    expect(changes(edit, flag('a', { ...ON, tags: ['web'] })[1])).toBe(expected);
  });
});

describe('an undo', () => {
  const selection = new Map([flag('a', ON), flag('b'), flag('c')]);
  const results = [
    { key: 'a', status: 200 },
    { key: 'b', status: 200 },
    { key: 'c', status: 403, error: 'approval_required' },
  ];

  it('is of the flags that changed', () => {
    const edit: Edit = { action: 'enable', env_id: 'dev' };
    expect(undoOf(edit, results, selection)).toEqual({
      edit: { action: 'disable', env_id: 'dev' },
      keys: ['b'],
    });
  });

  it('restores what was archived', () => {
    expect(undoOf({ action: 'archive' }, results, selection)).toEqual({
      edit: { action: 'restore' },
      keys: ['a', 'b'],
    });
  });

  it('is not there for a promotion, nor where nothing changed', () => {
    expect(undoOf({ action: 'promote', env_id: 'dev', target_env_id: 'x' }, results, selection)).toBeNull();
    expect(undoOf({ action: 'enable', env_id: 'dev' }, results.slice(0, 1), selection)).toBeNull();
  });
});
