import { expect, it } from 'vitest';
import { due } from './steps';

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
