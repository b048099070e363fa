import { expect, it } from 'vitest';
import { COLUMNS, readColumns } from './columns';

it('are all until some are chosen, in their order, and known ones alone', () => {
  expect(readColumns(null)).toEqual([...COLUMNS]);
  expect(readColumns('evaluated,size,owner')).toEqual(['owner', 'evaluated']);
  expect(readColumns('')).toEqual([]);
});
