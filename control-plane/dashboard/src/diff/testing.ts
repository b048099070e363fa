/** States for tests: written by hand in short, or generated from a seed. */
import { NO_STATE, type Rule, type StateFields, type Variant } from './versions';

export function state(fields: Partial<StateFields> = {}): StateFields {
  return { ...NO_STATE, ...fields };
}

export function rule(id: string, fields: Partial<Rule> = {}): Rule {
  return {
    id,
    priority: null,
    description: '',
    conditions: [],
    segment_keys: [],
    percentage: 10_000,
    value: true,
    match_type: 'all',
    ...fields,
  };
}

export function rules(...list: Rule[]): Rule[] {
  return list.map((one, priority) => ({ ...one, priority }));
}

export type Random = () => number;

/** Mulberry32: the same numbers for the same seed. */
export function random(seed: number): Random {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function below(next: Random, limit: number): number {
  return Math.floor(next() * limit);
}

export function one<T>(next: Random, list: readonly T[]): T {
  return list[below(next, list.length)] as T;
}

const POINTS = [0, 1000, 2500, 5000, 10_000];
const TIMES = [null, '2026-11-24T08:00:00Z', '2026-12-01T08:00:00Z'];

function someCondition(next: Random) {
  const values = ['DE', 'FR', 'NL', 'US'].filter(() => next() < 0.5);
  return {
    attribute: one(next, ['country', 'plan', 'key']),
    operator: one(next, ['in', 'notIn', 'eq']),
    values,
  };
}

function someRule(next: Random, id: string): Rule {
  return rule(id, {
    description: one(next, ['', 'Beta', 'Staff', 'Everyone']),
    conditions: Array.from({ length: below(next, 3) }, () => someCondition(next)),
    segment_keys: ['beta', 'staff'].filter(() => next() < 0.4),
    percentage: one(next, POINTS),
    value: one(next, [true, false]),
    match_type: one(next, ['all', 'any']),
  });
}

function someVariants(next: Random): Variant[] {
  const keys = ['blue', 'red', 'green'].slice(0, below(next, 4));
  const each = Math.floor(100 / Math.max(1, keys.length)) * 100;
  return keys.map((key, index) => ({
    key,
    weight: index === 0 ? 10_000 - each * (keys.length - 1) : each,
    value: one(next, [1, 2, 3]),
  }));
}

export function someState(next: Random): StateFields {
  const ids = ['r1', 'r2', 'r3', 'r4'].slice(0, below(next, 5));
  return {
    enabled: next() < 0.5,
    default_value: one(next, [null, true, false]),
    percentage_rollout: one(next, [null, ...POINTS]),
    rules: rules(...ids.map(id => someRule(next, id))),
    variants: someVariants(next),
    scheduled_enable_at: one(next, TIMES),
    scheduled_disable_at: one(next, TIMES),
  };
}

/** The state after a few edits, as a person makes them. */
export function edited(next: Random, before: StateFields, author: string): StateFields {
  let after = before;
  for (let edits = below(next, 3) + 1; edits > 0; edits -= 1) after = edit(next, after, `${author}${edits}`);
  return after;
}

function edit(next: Random, before: StateFields, fresh: string): StateFields {
  const list = [...before.rules];
  const at = below(next, list.length);
  const chosen = list[at];
  switch (below(next, 9)) {
    case 0:
      return { ...before, enabled: !before.enabled };
    case 1:
      return { ...before, percentage_rollout: one(next, [null, ...POINTS]) };
    case 2:
      return { ...before, scheduled_enable_at: one(next, TIMES) };
    case 3:
      list.splice(below(next, list.length + 1), 0, someRule(next, fresh));
      return { ...before, rules: rules(...list) };
    case 4:
      list.splice(at, 1);
      return { ...before, rules: rules(...list) };
    case 5:
      if (chosen === undefined) return before;
      list.splice(at, 1);
      list.splice(below(next, list.length + 1), 0, chosen);
      return { ...before, rules: rules(...list) };
    case 6:
      if (chosen !== undefined) list[at] = { ...chosen, percentage: one(next, POINTS) };
      return { ...before, rules: list };
    case 7:
      if (chosen !== undefined) list[at] = { ...chosen, conditions: [someCondition(next)] };
      return { ...before, rules: list };
    default:
      return { ...before, variants: someVariants(next) };
  }
}
