import { describe, expect, it } from 'vitest';
import { readRefusal } from './refusal';

function read(status: number, body: unknown, headers: Record<string, string> = {}) {
  return readRefusal(status, new Headers(headers), body);
}

describe('a refusal', () => {
  it.each([
    [400, 'email is required', { kind: 'invalid', field: 'email' }],
    [400, 'new_password must have at least 8 characters', { kind: 'invalid', field: 'new_password' }],
    [400, 'invalid otp', { kind: 'invalid', field: null }],
    [422, 'invalid code', { kind: 'invalid', field: null }],
    [401, 'invalid credentials', { kind: 'unauthenticated' }],
    [402, 'mfa requires the pro plan', { kind: 'plan' }],
    [403, 'mfa_required', { kind: 'forbidden' }],
    [404, 'not found', { kind: 'absent' }],
    [409, 'email already registered', { kind: 'conflict' }],
  ])('of status %i with "%s" keeps the sentence', (status, message, expected) => {
    expect(read(status, { error: message })).toEqual({ message, ...expected });
  });

  it('with a code has the sentence of its message', () => {
    const message = 'the environment production is protected';
    const body = { error: 'approval_required', message };
    expect(read(403, body)).toEqual({ kind: 'forbidden', message });
    expect(read(403, { error: 'not allowed', message })).toEqual({
      kind: 'forbidden',
      message: 'not allowed',
    });
  });

  it('with 412 carries what is stored now', () => {
    expect(read(412, { error: 'changed meanwhile' }, { etag: '"7"' })).toEqual({
      kind: 'changed',
      message: 'changed meanwhile',
      etag: '"7"',
    });
  });

  it('with 429 says how long to wait', () => {
    const message = 'rate limit exceeded';
    expect(read(429, { error: message }, { 'retry-after': '42' })).toEqual({
      kind: 'wait',
      message,
      seconds: 42,
    });
    expect(read(429, { error: message })).toEqual({ kind: 'wait', message, seconds: null });
  });

  it.each(['-1', 'soon', '1.5', '99999999', ''])('does not wait for "%s"', value => {
    expect(read(429, { error: 'x' }, { 'retry-after': value })).toMatchObject({ seconds: null });
  });

  it('of the service itself names the request', () => {
    expect(read(503, { error: 'please try again' }, { 'x-request-id': 'r-1', 'retry-after': '2' })).toEqual({
      kind: 'fault',
      status: 503,
      requestId: 'r-1',
      seconds: 2,
      message: 'please try again',
    });
  });

  it.each([null, 'text', 7, [], {}, { error: 5 }, { error: '' }])(
    'without a sentence is a fault: %j',
    body => {
      expect(read(400, body)).toEqual({ kind: 'fault', status: 400, requestId: null, seconds: null });
    },
  );
});
