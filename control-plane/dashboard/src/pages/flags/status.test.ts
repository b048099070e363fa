import { expect, it } from 'vitest';
import { statusOf } from './status';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const FLAG = {
  stale: false,
  permanent: false,
  created_at: '2026-11-19T12:00:00Z',
  last_evaluated_at: null,
};

it.each([
  [FLAG, 'new'],
  [{ ...FLAG, last_evaluated_at: '2026-11-20T11:00:00Z' }, 'active'],
  [{ ...FLAG, created_at: '2026-11-01T12:00:00Z' }, 'active'],
  [{ ...FLAG, permanent: true }, 'permanent'],
  [{ ...FLAG, stale: true, created_at: '2026-01-01T12:00:00Z' }, 'stale'],
])('%j is %s', (flag, status) => {
  expect(statusOf(flag, NOW)).toBe(status);
});
