import { expect, it } from 'vitest';
import { differences } from '../../diff/differences';
import { plain } from '../../diff/sentence';
import { only, partsOf } from './fields';

const names = { segment: (key: string) => key, flag: (key: string) => key };

it('only the fields of a request are compared', () => {
  const found = differences(partsOf({ enabled: false }), partsOf({ enabled: true }), names);
  expect(found.map(({ words }) => plain(words))).toEqual(['Switched on']);
});

it('leaves out the fields that are not named', () => {
  expect(only({ enabled: true, rules: [] }, ['rules'])).toEqual({ rules: [] });
});
