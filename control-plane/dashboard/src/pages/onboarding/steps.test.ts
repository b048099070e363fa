import { expect, it } from 'vitest';
import type { ApiKey } from '../keys/queries';
import { onboarding } from './messages';
import { due, earlierKey } from './steps';

const KNOWN = { first_flag_created: true, first_evaluation: false, tour_completed: false };

it('what came true is told once', () => {
  expect(due(KNOWN, { first_flag_created: true, first_evaluation: true })).toEqual({
    first_evaluation: true,
  });
  expect(due(KNOWN, { first_flag_created: true })).toBeNull();
});

it('nothing is taken back, and nothing is told before it is known what is', () => {
  expect(due(KNOWN, { first_flag_created: false, first_evaluation: false })).toBeNull();
  expect(due(undefined, { first_evaluation: true })).toBeNull();
});

it('the key of an earlier visit is found by name and type, while it works', () => {
  const name = onboarding.keyName();
  const key = (id: string, more: object) =>
    ({
      id,
      name,
      type: 'server',
      created_at: '2026-05-04T12:00:00Z',
      revoked_at: null,
      expires_at: null,
      ...more,
    }) as ApiKey;
  const now = Date.parse('2026-05-04T13:00:00Z');
  const keys = [
    key('old', { created_at: '2026-05-04T11:00:00Z' }),
    key('new', {}),
    key('revoked', { created_at: '2026-05-04T12:30:00Z', revoked_at: '2026-05-04T12:40:00Z' }),
    key('other', { name: 'shop', created_at: '2026-05-04T12:50:00Z' }),
  ];
  expect(earlierKey(keys, 'server', now)?.id).toBe('new');
  expect(earlierKey(keys, 'client', now)).toBeUndefined();
});
