import { describe, expect, it } from 'vitest';
import { LONGEST_NAME, MOST, readKept, withFilter, withProject } from './saved';

const MINE = { name: 'Mine', search: { owner: 'me' } };

describe('saved filters', () => {
  it('are what was kept, without what this version does not know', () => {
    const text = JSON.stringify([
      ['p1', [MINE, { name: 'Old', search: { state: 'gone', colour: 'red', q: 'nav' } }, { name: 7 }, null]],
      ['p2', 'nothing'],
      7,
    ]);
    expect(readKept(text)).toEqual([['p1', [MINE, { name: 'Old', search: { q: 'nav' } }]]]);
    for (const other of [null, '', '{}', '{', '7']) expect(readKept(other)).toEqual([]);
  });

  it('have one of each name, and an end', () => {
    expect(withFilter([MINE], { name: ' Mine ', search: { q: 'nav' } })).toEqual([
      { name: 'Mine', search: { q: 'nav' } },
    ]);
    expect(withFilter([], { name: ' ', search: {} })).toBeNull();
    expect(withFilter([], { name: 'Long', search: { q: 'x'.repeat(3000) } })).toBeNull();
    expect(withFilter([], { name: 'x'.repeat(99), search: {} })?.[0]?.name).toHaveLength(LONGEST_NAME);
    const full = Array.from({ length: MOST }, (_, place) => ({ name: String(place), search: {} }));
    expect(withFilter(full, MINE)).toBeNull();
    expect(withFilter(full, { name: '3', search: { q: 'new' } })).toHaveLength(MOST);
  });

  it('are kept for the projects that were written to last', () => {
    let kept = withProject([], 'first', [MINE]);
    for (let number = 0; number < 60; number += 1) kept = withProject(kept, `p${number}`, [MINE]);
    expect(kept).toHaveLength(50);
    expect(kept.at(-1)?.[0]).toBe('p59');
    expect(withProject([['p1', [MINE]]], 'p1', [])).toEqual([]);
  });
});
