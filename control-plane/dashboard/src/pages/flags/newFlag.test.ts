import { expect, it } from 'vitest';
import { firstValueOf, tagsOf } from './newFlag';

it('tags have commas between', () => {
  expect(tagsOf(' web, mobile ,,web')).toEqual(['web', 'mobile']);
  expect(tagsOf('  ')).toEqual([]);
});

it.each([
  ['boolean', 'true', { ok: true, value: true }],
  ['string', ' grey', { ok: true, value: ' grey' }],
  ['number', '12', { ok: true, value: 12 }],
  ['number', 'twelve', { ok: false, why: 'number' }],
  ['json', '{"a": 1}', { ok: true, value: { a: 1 } }],
  ['json', '{', { ok: false, why: 'json' }],
  ['string', '  ', null],
  ['json', '', null],
] as const)('the first value of a %s flag, typed %j, is %j', (type, typed, expected) => {
  expect(firstValueOf(type, typed)).toEqual(expected);
});
