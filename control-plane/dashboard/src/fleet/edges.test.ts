import { expect, it } from 'vitest';
import { names } from './edges';

it('edges are listed with commas between', () => {
  expect(names('fra-1,ams-1')).toEqual(['fra-1', 'ams-1']);
  expect(names('')).toEqual([]);
  expect(names(null)).toEqual([]);
});
