import { expect, it } from 'vitest';
import type { FlagType } from '../api/model';
import { readPercent, typedPercent } from '../pages/flag/targeting/percent';
import { readValue, shownValue, typedValue, wrongOf } from './values';

it.each<[FlagType, string, unknown]>([
  ['string', ' as it is ', ' as it is '],
  ['string', '', ''],
  ['number', ' 12.5 ', 12.5],
  ['number', '-1e3', -1000],
  ['json', '{"a": [1]}', { a: [1] }],
  ['json', '[]', []],
  ['json', 'null', null],
  ['ab', '"text"', 'text'],
  ['ab', 'null', null],
  ['boolean', 'true', true],
])('a %s flag takes %s', (type, typed, value) => {
  expect(readValue(type, typed, true)).toEqual({ ok: true, value });
});

it.each<[FlagType, string, string]>([
  ['number', '', 'number'],
  ['number', '1,5', 'number'],
  ['number', '0x10', 'number'],
  ['number', 'Infinity', 'number'],
  ['number', '1e999', 'number'],
  ['json', '{"a": ', 'json'],
  ['json', '"text"', 'structure'],
  ['json', '7', 'structure'],
  ['ab', 'text', 'json'],
  ['boolean', '1', 'boolean'],
])('a %s flag does not take %s', (type, typed, why) => {
  expect(readValue(type, typed, true)).toEqual({ ok: false, why });
});

it('null is no value where it means not set', () => {
  expect(readValue('json', 'null', false)).toEqual({ ok: false, why: 'null' });
  expect(readValue('ab', ' null', false)).toEqual({ ok: false, why: 'null' });
});

it('stored values are checked like typed ones', () => {
  expect(wrongOf('boolean', 'true', true)).toBe('boolean');
  expect(wrongOf('string', null, true)).toBe('string');
  expect(wrongOf('number', 0, true)).toBeNull();
});

it('values stand in their field as they can be typed', () => {
  expect(typedValue('string', 'a "b"')).toBe('a "b"');
  expect(typedValue('number', 1.5)).toBe('1.5');
  expect(typedValue('json', { a: 1 })).toBe('{"a":1}');
  expect(typedValue('json', { text: 'x'.repeat(60) })).toContain('\n');
});

it('values in sentences are short', () => {
  expect(shownValue('on')).toBe('“on”');
  expect(shownValue(false)).toBe('false');
  expect(shownValue('x'.repeat(100))).toHaveLength(61);
});

it.each([
  ['0', 0],
  ['100', 10_000],
  ['12.5', 1250],
  ['12,5 %', 1250],
  ['0.01', 1],
  ['33.33', 3333],
  ['5.', 500],
  ['100.01', null],
  ['0.001', null],
  ['-1', null],
  ['', null],
  ['half', null],
])('%s as a share is %s', (typed, points) => {
  expect(readPercent(typed)).toBe(points);
});

it('shares are typed as they are read', () => {
  for (const points of [0, 1, 10, 333, 1250, 2900, 5700, 10_000]) {
    expect(readPercent(typedPercent(points))).toBe(points);
  }
});
