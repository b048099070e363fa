import { expect, it } from 'vitest';
import { type Area, areasOf, includes, isEverything, toggleArea, toggleType } from './events';

const typed = (...types: string[]) => types.map(type => ({ type, description: '' }));
const FLAG: Area = { name: 'flag', types: typed('flag.created', 'flag.killed') };

it('types are grouped by area, in the order of the service', () => {
  const areas = areasOf(typed('flag.created', 'segment.created', 'flag.killed'));
  expect(areas.map(({ name, types }) => [name, types.map(({ type }) => type)])).toEqual([
    ['flag', ['flag.created', 'flag.killed']],
    ['segment', ['segment.created']],
  ]);
});

it('nothing and the star mean everything', () => {
  expect([[], ['*'], ['flag.*'], ['flag.killed']].map(isEverything)).toEqual([true, true, false, false]);
});

it('an area includes its types', () => {
  expect(includes(['flag.*'], 'flag.killed')).toBe(true);
  expect(includes(['segment.*', 'flag.created'], 'flag.killed')).toBe(false);
});

it('a type is added and removed', () => {
  expect(toggleType(['segment.*'], FLAG, 'flag.killed')).toEqual(['segment.*', 'flag.killed']);
  expect(toggleType(['segment.*', 'flag.killed'], FLAG, 'flag.killed')).toEqual(['segment.*']);
  expect(toggleType(['flag.*', 'segment.*'], FLAG, 'flag.killed')).toEqual(['segment.*', 'flag.created']);
});

it('an area takes the place of its types, and goes with all of them', () => {
  expect(toggleArea(['flag.killed', 'segment.created'], FLAG)).toEqual(['segment.created', 'flag.*']);
  expect(toggleArea(['flag.*', 'segment.created'], FLAG)).toEqual(['segment.created']);
});
