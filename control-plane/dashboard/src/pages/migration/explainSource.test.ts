import { expect, it } from 'vitest';
import { explainSource } from './explainSource';

it('a sentence about a field begins with its label', () => {
  const message = 'base_url must not lead to a private, local or reserved address';
  expect(explainSource({ kind: 'invalid', message, field: 'base_url' })).toEqual({
    text: 'Address must not lead to a private, local or reserved address.',
    field: 'base_url',
  });
  expect(explainSource({ kind: 'invalid', message: 'the source answered 401', field: null })).toBeNull();
});

it('the failure of a source is said in its words, other failures are not', () => {
  const fault = { kind: 'fault', requestId: null, seconds: null } as const;
  expect(explainSource({ ...fault, status: 502, message: 'the source cannot be reached' })).toEqual({
    text: 'The source cannot be reached.',
  });
  expect(explainSource({ ...fault, status: 500, message: 'internal error' })).toBeNull();
});
