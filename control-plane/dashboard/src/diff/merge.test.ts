import { describe, expect, it } from 'vitest';
import { inOrder } from '../flagState/draft';
import { isSame } from '../flagState/isSame';
import { differences } from './differences';
import { merge, mergeSet } from './merge';
import type { Choices } from './merging';
import { plain } from './sentence';
import { mergeOrder, moved } from './sequence';
import { edited, random, rule, rules, someState, state } from './testing';
import type { FlagFields, StateFields } from './versions';

function merged(base: StateFields, mine: StateFields, theirs: StateFields, choices: Choices = {}) {
  const { merged: result, conflicts } = merge({ state: base }, { state: mine }, { state: theirs }, choices);
  if (!result.state) throw new Error('a state was merged');
  return { state: result.state, conflicts, fields: conflicts.map(({ field }) => field) };
}

const A = rule('a', { description: 'A', percentage: 1000 });
const B = rule('b', { description: 'B' });
const C = rule('c', { description: 'C' });
const BASE = state({ enabled: true, percentage_rollout: 1000, rules: rules(A, B, C) });
const order = (of: StateFields) => inOrder(of.rules).map(({ id }) => id);

describe('fields', () => {
  it('that only one changed are taken from there', () => {
    const { state: result, fields } = merged(
      BASE,
      { ...BASE, percentage_rollout: 2500 },
      { ...BASE, enabled: false },
    );
    expect(fields).toEqual([]);
    expect(result).toEqual({ ...BASE, percentage_rollout: 2500, enabled: false });
  });

  it('that both changed in the same way are no conflict', () => {
    const both = { ...BASE, percentage_rollout: 0 };
    expect(merged(BASE, both, both)).toMatchObject({ state: both, fields: [] });
  });

  it('that both changed are chosen', () => {
    const [mine, theirs] = [
      { ...BASE, percentage_rollout: null },
      { ...BASE, percentage_rollout: 0 },
    ];
    const open = merged(BASE, mine, theirs);
    expect(open.fields).toEqual(['state.percentage_rollout']);
    expect(open.state).toEqual(theirs);
    const [conflict] = open.conflicts;
    expect(conflict?.base.state).toEqual(BASE);
    expect(conflict?.mine.state).toEqual(mine);
    expect(conflict?.theirs.state).toEqual(theirs);
    expect(merged(BASE, mine, theirs, { 'state.percentage_rollout': 'mine' }).state).toEqual(mine);
    expect(merged(BASE, mine, theirs, { 'state.percentage_rollout': 'theirs' }).state).toEqual(theirs);
  });

  it('of a state that was never stored', () => {
    const { merged: result, conflicts } = merge(
      { state: null },
      { state: state({ enabled: true }) },
      { state: state({ percentage_rollout: 500 }) },
    );
    expect(conflicts).toEqual([]);
    expect(result.state).toEqual(state({ enabled: true, percentage_rollout: 500 }));
  });

  it('that hold the same instant are the same', () => {
    const base = state({ scheduled_enable_at: '2026-11-24T08:00:00Z' });
    const mine = state({ scheduled_enable_at: '2026-11-24T09:00:00+01:00' });
    const theirs = state({ scheduled_enable_at: '2026-12-24T08:00:00Z' });
    expect(merged(base, mine, theirs)).toMatchObject({ state: theirs, fields: [] });
  });
});

describe('rules', () => {
  it('are merged by their id and field', () => {
    const mine = { ...BASE, rules: rules({ ...A, percentage: 2500 }, B, C) };
    const theirs = { ...BASE, rules: rules({ ...A, description: 'Alpha' }, B, C) };
    expect(merged(BASE, mine, theirs)).toMatchObject({
      fields: [],
      state: { rules: rules({ ...A, percentage: 2500, description: 'Alpha' }, B, C) },
    });
  });

  it('that both added are both there, each after what it followed', () => {
    const [X, Y] = [rule('x'), rule('y')];
    const mine = { ...BASE, rules: rules(A, X, B, C) };
    const theirs = { ...BASE, rules: rules(A, B, C, Y) };
    const result = merged(BASE, mine, theirs);
    expect(order(result.state)).toEqual(['a', 'x', 'b', 'c', 'y']);
    expect(result.fields).toEqual([]);
    expect(new Set(result.state.rules.map(({ priority }) => priority)).size).toBe(5);
  });

  it('are moved by one and changed by the other', () => {
    const mine = { ...BASE, rules: rules(C, A, B) };
    const theirs = { ...BASE, rules: rules(A, B, { ...C, percentage: 1 }) };
    const result = merged(BASE, mine, theirs);
    expect(order(result.state)).toEqual(['c', 'a', 'b']);
    expect(result.state.rules.find(({ id }) => id === 'c')?.percentage).toBe(1);
    expect(result.fields).toEqual([]);
  });

  it('that both moved elsewhere are a conflict of the order', () => {
    const mine = { ...BASE, rules: rules(C, A, B) };
    const theirs = { ...BASE, rules: rules(B, A, C) };
    const open = merged(BASE, mine, theirs);
    expect(open.fields).toEqual(['state.rules']);
    expect(order(merged(BASE, mine, theirs, { 'state.rules': 'mine' }).state)).toEqual(['c', 'a', 'b']);
    expect(order(merged(BASE, mine, theirs, { 'state.rules': 'theirs' }).state)).toEqual(['b', 'a', 'c']);
    const [conflict] = open.conflicts;
    expect(conflict?.mine.state && order(conflict.mine.state)).toEqual(['c', 'a', 'b']);
  });

  it('that one removed and the other left alone are gone', () => {
    const mine = { ...BASE, rules: rules(A, C) };
    const theirs = { ...BASE, rules: rules({ ...A, percentage: 7 }, B, C) };
    const result = merged(BASE, mine, theirs);
    expect(order(result.state)).toEqual(['a', 'c']);
    expect(result.fields).toEqual([]);
  });

  it('that one removed and the other changed are a conflict', () => {
    const mine = { ...BASE, rules: rules(A, C) };
    const theirs = { ...BASE, rules: rules(A, { ...B, percentage: 7 }, C) };
    expect(merged(BASE, mine, theirs).fields).toEqual(['state.rules/b']);
    expect(order(merged(BASE, mine, theirs, { 'state.rules/b': 'mine' }).state)).toEqual(['a', 'c']);
    expect(merged(BASE, mine, theirs, { 'state.rules/b': 'theirs' }).state).toEqual(theirs);
  });

  it('whose field both changed keep everything else of both', () => {
    const mine = { ...BASE, rules: rules({ ...A, percentage: 1, value: false }, B, C) };
    const theirs = { ...BASE, rules: rules({ ...A, percentage: 2, description: 'T' }, B, C) };
    const result = merged(BASE, mine, theirs, { 'state.rules/a/percentage': 'mine' });
    expect(result.fields).toEqual(['state.rules/a/percentage']);
    expect(result.state.rules[0]).toMatchObject({ percentage: 1, value: false, description: 'T' });
  });
});

describe('variants', () => {
  const blue = { key: 'blue', weight: 5000, value: 1 };
  const red = { key: 'red', weight: 5000, value: 2 };
  const base = state({ variants: [blue, red] });

  it('get weights from one and values from the other', () => {
    const mine = state({
      variants: [
        { ...blue, weight: 3000 },
        { ...red, weight: 7000 },
      ],
    });
    const theirs = state({ variants: [blue, { ...red, value: 9 }] });
    expect(merged(base, mine, theirs)).toMatchObject({
      fields: [],
      state: {
        variants: [
          { key: 'blue', weight: 3000, value: 1 },
          { key: 'red', weight: 7000, value: 9 },
        ],
      },
    });
  });

  it('whose weights would not make 100 % are a conflict of the weights alone', () => {
    const mine = state({
      variants: [
        { ...blue, weight: 3000 },
        { ...red, weight: 7000 },
      ],
    });
    const green = { key: 'green', weight: 2000, value: 3 };
    const theirs = state({
      variants: [{ ...blue, weight: 4000, value: 8 }, { ...red, weight: 4000 }, green],
    });
    expect(merged(base, mine, theirs).fields).toEqual(['state.variants']);
    expect(merged(base, mine, theirs, { 'state.variants': 'mine' }).state.variants).toEqual([
      { key: 'blue', weight: 3000, value: 8 },
      { key: 'red', weight: 7000, value: 2 },
    ]);
    expect(merged(base, mine, theirs, { 'state.variants': 'theirs' }).state.variants).toEqual(
      theirs.variants,
    );
  });

  it('of which one was removed while its value was changed are a conflict', () => {
    const mine = state({ variants: [{ ...blue, weight: 10_000 }] });
    const theirs = state({ variants: [blue, { ...red, value: 9 }] });
    expect(merged(base, mine, theirs).fields).toEqual(['state.variants']);
  });

  it('whose value both changed are a conflict of the value', () => {
    const mine = state({ variants: [blue, { ...red, value: 7 }] });
    const theirs = state({ variants: [blue, { ...red, value: 9 }] });
    expect(merged(base, mine, theirs).fields).toEqual(['state.variants/red/value']);
    expect(merged(base, mine, theirs, { 'state.variants/red/value': 'mine' }).state).toEqual(mine);
  });
});

it('the fields of a flag are merged, lists as sets', () => {
  const flag: FlagFields = {
    name: 'A',
    description: '',
    default_value: false,
    tags: ['x', 'y'],
    prerequisites: [],
    mutual_exclusion_group: '',
  };
  const { merged: result, conflicts } = merge(
    { flag },
    { flag: { ...flag, name: 'Mine', tags: ['y', 'm'] } },
    { flag: { ...flag, name: 'Theirs', description: 'T', tags: ['x', 'y', 't'] } },
  );
  expect(conflicts.map(({ field }) => field)).toEqual(['flag.name']);
  expect(result.flag).toEqual({ ...flag, name: 'Theirs', description: 'T', tags: ['y', 't', 'm'] });
  expect(mergeSet(['a'], ['a'], ['b', 'a'])).toEqual(['b', 'a']);
});

describe('an order', () => {
  it('moves as few as possible', () => {
    expect(moved(['a', 'b', 'c', 'd'], ['d', 'a', 'b', 'c'])).toEqual(new Set(['d']));
    expect(moved(['a', 'b', 'c'], ['a', 'x', 'c'])).toEqual(new Set());
    expect(moved(['a', 'b'], ['b', 'a']).size).toBe(1);
  });

  it('keeps what each side added where it was put', () => {
    const ids = new Set(['a', 'b', 'm', 't']);
    expect(mergeOrder(['a', 'b'], ['m', 'a', 'b'], ['a', 't', 'b'], ids)).toEqual(['m', 'a', 't', 'b']);
  });
});

describe('for generated states', () => {
  const cases = Array.from({ length: 1500 }, (_, seed) => {
    const next = random(seed);
    const base = someState(next);
    return { seed, base, mine: edited(next, base, 'm'), theirs: edited(next, base, 't') };
  });

  it('a side that changed nothing leaves the other as it is', () => {
    for (const { seed, base, mine, theirs } of cases) {
      expect(merged(base, base, theirs), `seed ${seed}`).toMatchObject({ state: theirs, fields: [] });
      expect(merged(base, mine, base), `seed ${seed}`).toMatchObject({ state: mine, fields: [] });
      expect(merged(base, mine, mine), `seed ${seed}`).toMatchObject({ state: mine, fields: [] });
    }
  });

  it('without a conflict both changes are there, and somewhere there are conflicts', () => {
    let withConflicts = 0;
    for (const { seed, base, mine, theirs } of cases) {
      const { state: result, fields } = merged(base, mine, theirs);
      if (fields.length > 0) {
        withConflicts += 1;
        continue;
      }
      holds(seed, base, mine, result);
      holds(seed, base, theirs, result);
    }
    expect(withConflicts).toBeGreaterThan(100);
    expect(withConflicts).toBeLessThan(1200);
  });

  it('choosing one side everywhere keeps that side where they clash, and all else of both', () => {
    for (const { seed, base, mine, theirs } of cases) {
      const { fields } = merged(base, mine, theirs);
      for (const side of ['mine', 'theirs'] as const) {
        const choices = Object.fromEntries(fields.map(field => [field, side]));
        const result = merged(base, mine, theirs, choices);
        expect(result.fields.slice(0, fields.length).length, `seed ${seed}`).toBe(fields.length);
        if (result.fields.every(field => field in choices)) {
          holds(seed, base, side === 'mine' ? mine : theirs, result.state);
        }
      }
    }
  });

  it('each conflict is told by what both sides made of it', () => {
    const names = { segment: (key: string) => key, flag: (key: string) => key };
    for (const { seed, base, mine, theirs } of cases) {
      for (const { field, ...parts } of merged(base, mine, theirs).conflicts) {
        const [a, b] = [parts.mine, parts.theirs].map(side =>
          differences(parts.base, side, names).map(({ words }) => plain(words)),
        );
        expect(a, `seed ${seed} ${field}`).not.toEqual([]);
        expect(b, `seed ${seed} ${field}`).not.toEqual([]);
        expect(a, `seed ${seed} ${field}`).not.toEqual(b);
      }
    }
  });

  it('the result has no id or place twice, and weights that make 100 %', () => {
    for (const { seed, base, mine, theirs } of cases) {
      const { state: result } = merged(base, mine, theirs);
      const ids = result.rules.map(({ id }) => id);
      expect(new Set(ids).size, `seed ${seed}`).toBe(ids.length);
      const sum = result.variants.reduce((total, { weight }) => total + weight, 0);
      expect([0, 10_000], `seed ${seed}`).toContain(sum);
    }
  });
});

/** Everything that `side` made of `base` is in `result`. */
function holds(seed: number, base: StateFields, side: StateFields, result: StateFields): void {
  for (const field of [
    'enabled',
    'default_value',
    'percentage_rollout',
    'scheduled_enable_at',
    'scheduled_disable_at',
  ] as const) {
    if (!isSame(base[field], side[field]))
      expect(result[field], `seed ${seed} ${field}`).toEqual(side[field]);
  }
  for (const one of side.rules) {
    const before = base.rules.find(({ id }) => id === one.id);
    const after = result.rules.find(({ id }) => id === one.id);
    if (before === undefined) expect(after, `seed ${seed} added ${one.id}`).toBeDefined();
    for (const field of ['description', 'conditions', 'segment_keys', 'percentage', 'value'] as const) {
      if (before !== undefined && !isSame(before[field], one[field])) {
        expect(after?.[field], `seed ${seed} ${one.id} ${field}`).toEqual(one[field]);
      }
    }
  }
  for (const { id } of base.rules) {
    if (side.rules.some(one => one.id === id)) continue;
    expect(
      result.rules.some(one => one.id === id),
      `seed ${seed} removed ${id}`,
    ).toBe(false);
  }
  const lasting = new Set(result.rules.map(({ id }) => id));
  const common = (of: StateFields) =>
    order(of).filter(id => lasting.has(id) && base.rules.some(one => one.id === id));
  const was = common(base).filter(id => side.rules.some(one => one.id === id));
  if (!isSame(was, common(side))) {
    expect(
      common(result).filter(id => side.rules.some(one => one.id === id)),
      `seed ${seed} order`,
    ).toEqual(common(side));
  }
}
