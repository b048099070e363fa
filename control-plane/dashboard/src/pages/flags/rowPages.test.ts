import { describe, expect, it } from 'vitest';
import { pagesOf } from './rowPages';

describe('the pages of rows', () => {
  it.each([
    [[], [0]],
    [[0, 99], [0]],
    [
      [95, 105],
      [0, 1],
    ],
    [
      [9980, 9999],
      [0, 99],
    ],
    [
      [199, 200],
      [0, 1, 2],
    ],
    // The row with the tab stop is far from those in view: nothing between them is asked for.
    [
      [3, 7400, 7401],
      [0, 74],
    ],
  ])('of the rows %j are %j', (rows, pages) => {
    expect(pagesOf(rows)).toEqual(pages);
  });
});
