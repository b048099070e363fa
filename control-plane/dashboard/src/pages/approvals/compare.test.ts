import { expect, it } from 'vitest';
import { presentOf, requestedOf } from './compare';

it('a payload says what is asked for, and without one the change type does', () => {
  const payload = { enabled: false } as never;
  expect(requestedOf({ payload, change_type: 'enable' })).toEqual({ enabled: false });
  const empty = {} as never;
  expect(requestedOf({ payload: empty, change_type: 'enable' })).toEqual({ enabled: true });
  expect(requestedOf({ payload: empty, change_type: 'disable' })).toEqual({ enabled: false });
  expect(requestedOf({ payload: empty, change_type: 'rename' })).toEqual({});
});

it('only fields that the request names are compared', () => {
  const state = { enabled: true, rules: [], updated_at: '2026-01-01T00:00:00Z' };
  expect(presentOf(state, { rules: [1], unknown: 2 })).toEqual({ rules: [] });
});
