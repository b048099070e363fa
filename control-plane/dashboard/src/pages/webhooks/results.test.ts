import { expect, it } from 'vitest';
import type { Delivery } from './queries';
import { readable, resultOf, testAfter } from './results';

function delivery(id: string, more: Partial<Delivery> = {}): Delivery {
  return {
    id,
    event_type: 'webhook.test',
    response_status: 200,
    success: true,
    delivered_at: '2026-05-04T12:00:00Z',
    redelivery_of: null,
    attempts: 1,
    duration_ms: 5,
    error: null,
    response_body: null,
    ...more,
  };
}

it('what was never tried was dropped', () => {
  expect(resultOf({ success: true, attempts: 1 })).toBe('delivered');
  expect(resultOf({ success: false, attempts: 3 })).toBe('failed');
  expect(resultOf({ success: false, attempts: 0 })).toBe('dropped');
  expect(resultOf({ success: false, attempts: null })).toBe('failed');
});

it('the result of a test is the newest that was not there before', () => {
  const listed = [delivery('c'), delivery('b', { event_type: 'flag.killed' }), delivery('a')];
  expect(testAfter(['a', 'b'], listed)?.id).toBe('c');
  expect(testAfter(['a', 'c'], listed)).toBeNull();
  expect(testAfter(['a'], [delivery('d', { redelivery_of: 'a' }), delivery('a')])).toBeNull();
});

it('JSON is put on lines, other text stays', () => {
  expect(readable('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(readable('no channel')).toBe('no channel');
});
