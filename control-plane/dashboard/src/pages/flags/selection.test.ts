import { describe, expect, it } from 'vitest';
import type { OverviewFlag } from './overview';
import { between, MOST_SELECTED, withFlags } from './selection';

const flag = (key: string) => ({ key }) as OverviewFlag;

describe('a selection', () => {
  it('gains and loses flags', () => {
    const two = withFlags(new Map(), [flag('a'), flag('b')], true);
    expect([...two.keys()]).toEqual(['a', 'b']);
    expect([...withFlags(two, [flag('a'), flag('c')], false).keys()]).toEqual(['b']);
  });

  it('has a most', () => {
    const many = Array.from({ length: MOST_SELECTED + 5 }, (_, index) => flag(String(index)));
    expect(withFlags(new Map(), many, true).size).toBe(MOST_SELECTED);
  });
});

it('a range has both ends, in either direction', () => {
  expect(between(3, 5)).toEqual([3, 4, 5]);
  expect(between(5, 3)).toEqual([3, 4, 5]);
  expect(between(2, 2)).toEqual([2]);
});
