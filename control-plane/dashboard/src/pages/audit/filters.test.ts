import { expect, it } from 'vitest';
import { actionChoice, actionFilter, dayToIso, fromOf, isoToDay, rangeOf, setFilters } from './filters';

const NOW = Date.parse('2026-05-04T12:00:30Z');

it.each(['hour', 'day', 'week', 'month'] as const)('the range of a %s is known again', range => {
  const from = fromOf(range, NOW);
  expect(from).toMatch(/:00\.000Z$/);
  expect(rangeOf({ ...(from === undefined ? {} : { from }) }, NOW + 60_000)).toBe(range);
});

it('other ends are a custom range', () => {
  expect(rangeOf({}, NOW)).toBe('any');
  expect(rangeOf({ from: '2020-01-01T00:00:00Z' }, NOW)).toBe('custom');
  expect(rangeOf({ to: '2020-01-01T00:00:00Z' }, NOW)).toBe('custom');
});

it('the end of a custom range is the whole day', () => {
  const [from, to] = [dayToIso('2026-05-04', false), dayToIso('2026-05-04', true)];
  expect(Date.parse(to ?? '') - Date.parse(from ?? '')).toBe(86_400_000);
  expect(isoToDay(from, false)).toBe('2026-05-04');
  expect(isoToDay(to, true)).toBe('2026-05-04');
  expect(dayToIso('', false)).toBeUndefined();
  expect(isoToDay('nonsense', true)).toBe('');
});

it('a kind of thing and an action are one choice', () => {
  for (const filter of [{}, { action: 'flag.killed' }, { resource_type: 'flag' }]) {
    expect(actionFilter(actionChoice(filter))).toEqual(filter);
  }
});

it('names the filters that are set', () => {
  expect(setFilters({ to: 'x', q: 'y' })).toEqual(['q', 'to']);
});
