import { expect, it } from 'vitest';
import { draftOf } from '../../../flagState/draft';
import { summaryOf } from './summary';

const off = draftOf({ enabled: false });
const boolean = { flag_type: 'boolean', default_value: false } as const;

it.each([
  [{}, ['Off', 'everyone gets false']],
  [{ enabled: true }, ['On']],
  [{ enabled: true, percentage_rollout: 0, default_value: true }, ['On', 'value true', 'rollout 0%']],
  // Flags of other types do not use them.
  [{ enabled: true, variants: [{ key: 'a', weight: 10_000, value: 1 }] }, ['On']],
])('%j in short', (change, phrases) => {
  expect(summaryOf(boolean, { ...off, ...change })).toEqual(phrases);
});

it('counts the variants of an A/B flag', () => {
  const variants = [{ key: 'a', weight: 10_000, value: 1 }];
  const flag = { flag_type: 'ab', default_value: {} } as const;
  expect(summaryOf(flag, { ...off, enabled: true, variants })).toEqual(['On', '1 variant']);
});
