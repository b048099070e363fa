import { describe, expect, it } from 'vitest';
import { movedBy, within } from './gridCells';

const SIZE = { rows: 100, columns: 4, page: 10 };

describe('the keys of the table', () => {
  it.each([
    ['ArrowDown', false, { row: 6, column: 2 }],
    ['ArrowUp', false, { row: 4, column: 2 }],
    ['ArrowRight', false, { row: 5, column: 3 }],
    ['ArrowLeft', false, { row: 5, column: 1 }],
    ['PageDown', false, { row: 15, column: 2 }],
    ['PageUp', false, { row: 0, column: 2 }],
    ['Home', false, { row: 5, column: 0 }],
    ['End', false, { row: 5, column: 3 }],
    ['Home', true, { row: 0, column: 0 }],
    ['End', true, { row: 99, column: 3 }],
  ])('%s, with control: %s, leads to %j', (key, withControl, place) => {
    expect(movedBy(key, withControl, { row: 5, column: 2 }, SIZE)).toEqual(place);
  });

  it('leave the others alone', () => {
    expect(movedBy('Enter', false, { row: 5, column: 2 }, SIZE)).toBeNull();
  });

  it('stop at the edges', () => {
    expect(movedBy('ArrowDown', false, { row: 99, column: 3 }, SIZE)).toEqual({ row: 99, column: 3 });
    expect(movedBy('ArrowLeft', false, { row: 0, column: 0 }, SIZE)).toEqual({ row: 0, column: 0 });
  });
});

it('a place stays in a table that became smaller', () => {
  expect(within({ row: 50, column: 3 }, { rows: 7, columns: 2 })).toEqual({ row: 6, column: 1 });
  expect(within({ row: 3, column: 1 }, { rows: 0, columns: 2 })).toEqual({ row: 0, column: 1 });
});
