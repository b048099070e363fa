import { expect, it } from 'vitest';
import { type Refusal, Refused } from '../api/refusal';
import { delayOf, type Trouble, troubleOf } from './trouble';

const FAULT: Trouble = { kind: 'fault', status: 503, requestId: 'r-1', seconds: null };
const WAIT: Trouble = { kind: 'wait', message: 'rate limit exceeded', seconds: 7 };
const OFFLINE: Trouble = { kind: 'offline' };
const ABSENT: Refusal = { kind: 'absent', message: 'not found' };

function asked(refusal: Refusal, change: { isShown?: boolean; hasData?: boolean } = {}) {
  return { isShown: true, hasData: true, error: new Refused(refusal), ...change };
}

it('is none while everything is answered', () => {
  expect(troubleOf([{ isShown: true, hasData: true, error: null }])).toBeNull();
});

it('is none of what nobody sees, of what its page says itself, and of answers of the service', () => {
  expect(
    troubleOf([asked(FAULT, { isShown: false }), asked(FAULT, { hasData: false }), asked(ABSENT)]),
  ).toBeNull();
});

it('is the worst of several', () => {
  expect(troubleOf([asked(WAIT), asked(FAULT)])).toBe(FAULT);
  expect(troubleOf([asked(FAULT), asked(OFFLINE), asked(WAIT)])).toBe(OFFLINE);
});

it('is retried when the service says, else later each time', () => {
  expect([0, 5].map(attempt => delayOf(WAIT, attempt))).toEqual([7, 7]);
  expect([0, 1, 2, 3, 9].map(attempt => delayOf(FAULT, attempt))).toEqual([5, 10, 20, 40, 60]);
});
