/** What is compared and merged: a flag's own fields, its state in an environment, or both. */
import type { components } from '../api/schema';

type Schemas = components['schemas'];

export type Rule = Schemas['TargetingRule'];
export type Condition = Schemas['Condition'];
export type Variant = Schemas['Variant'];
export type Flag = Schemas['Flag'];

/** What a write of a state may set. */
export type StateFields = Pick<
  Schemas['FlagState'],
  | 'enabled'
  | 'default_value'
  | 'rules'
  | 'percentage_rollout'
  | 'variants'
  | 'scheduled_enable_at'
  | 'scheduled_disable_at'
>;

/** What a write of a flag may set. */
export type FlagFields = Pick<
  Flag,
  'name' | 'description' | 'default_value' | 'tags' | 'prerequisites' | 'mutual_exclusion_group'
>;

/** A part that is left out is not looked at; `null` is a flag that is deleted, or a state that was never stored. */
export interface Parts {
  flag?: FlagFields | null;
  state?: StateFields | null;
}

/** What people call the things that a flag names by their keys. */
export interface Names {
  segment: (key: string) => string;
  flag: (key: string) => string;
}

/** What a state is that was never stored. */
export const NO_STATE: StateFields = {
  enabled: false,
  default_value: null,
  rules: [],
  percentage_rollout: null,
  variants: [],
  scheduled_enable_at: null,
  scheduled_disable_at: null,
};

/** The fields of a state as the API gives it: of one that was never stored it tells `enabled` alone. */
export function stateFields(state: Schemas['FlagStateOrNone'] | null): StateFields {
  if (state === null || !('id' in state)) return NO_STATE;
  const { id: _id, updated_at: _at, ...fields } = state;
  return fields;
}

export function flagFields(flag: Flag): FlagFields {
  const { name, description, default_value, tags, prerequisites, mutual_exclusion_group } = flag;
  return { name, description, default_value, tags, prerequisites, mutual_exclusion_group };
}

/** The rules in the order in which they are tried: by priority, ties as they stand. */
export function inOrder(rules: readonly Rule[]): Rule[] {
  return rules
    .map((rule, index) => ({ rule, priority: rule.priority ?? index }))
    .sort((a, b) => a.priority - b.priority)
    .map(({ rule }) => rule);
}

/** Whether two values are the same JSON. The order of an object's members does not count; absent is not `null`. */
export function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = Object.entries(a).filter(([, value]) => value !== undefined);
  const right = new Map(Object.entries(b).filter(([, value]) => value !== undefined));
  return (
    left.length === right.size && left.every(([key, value]) => right.has(key) && same(value, right.get(key)))
  );
}

/** Whether two times are the same instant, in whatever way they are written. */
export function sameTime(a: string | null | undefined, b: string | null | undefined): boolean {
  if (!a || !b) return !a === !b;
  return a === b || Date.parse(a) === Date.parse(b);
}
