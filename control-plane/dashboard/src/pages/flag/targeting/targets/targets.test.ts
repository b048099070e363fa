import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../../api/model';
import { newRule } from '../edit';
import {
  conditionsOf,
  countTargets,
  decidedBefore,
  isTargets,
  newTargets,
  newTargetsId,
  nextValue,
  withTargets,
} from './targets';

const list = (id: string, keys: string[], change: Partial<Rule> = {}): Rule => ({
  ...newTargets(id, true),
  conditions: conditionsOf(keys),
  ...change,
});

describe('a rule is a list of users', () => {
  it('when it matches keys and nothing else', () => {
    expect(isTargets(list('a', ['ada']))).toBe(true);
    expect(isTargets(list('a', []))).toBe(true);
  });

  it.each([
    { percentage: 5000 },
    { segment_keys: ['beta'] },
    { value: undefined },
    { conditions: [] },
    { conditions: [{ attribute: 'key', operator: 'notIn', values: ['ada'] }] },
    { conditions: [{ attribute: 'plan', operator: 'in', values: ['ada'] }] },
    { conditions: [...conditionsOf(['ada']), { attribute: 'plan', operator: 'in', values: ['x'] }] },
  ])('and not with %j', change => {
    expect(isTargets(list('a', ['ada'], change))).toBe(false);
  });
});

it('lists come first, and are recognised again when they are stored', () => {
  const stored = [list('imported', ['ada']), newRule('r', true), list('later', ['bob'])];
  expect(countTargets(stored, stored)).toBe(1);
  // A rule that is being written is none, whatever is typed into it.
  const typed = [list('rule-1', ['ada']), ...stored];
  expect(countTargets(typed, stored)).toBe(0);
  const added = withTargets(stored, 1, list(newTargetsId('x'), []));
  expect(added.map(({ id, priority }) => [id, priority])).toEqual([
    ['imported', 0],
    ['targets-x', 1],
    ['r', 2],
    ['later', 3],
  ]);
  expect(countTargets(added, stored)).toBe(2);
});

it('a user of two lists gets what the first one says', () => {
  const lists = [list('a', ['ada', 'bob']), list('b', ['carl', 'bob'])];
  expect(decidedBefore(lists, 1)).toEqual(['bob']);
  expect(decidedBefore(lists, 0)).toEqual([]);
});

it('the second list of a boolean flag has the other value', () => {
  expect(nextValue([], true)).toBe(true);
  expect(nextValue([list('a', [])], true)).toBe(false);
  expect(nextValue([list('a', [])], 'x')).toBe('x');
});
