import { describe, expect, it } from 'vitest';
import { type ContextForm, formOf, jsonOf, jsonOfForm, readForm, readJson, retyped } from './context';

const FORM: ContextForm = {
  key: 'user-1',
  attributes: [
    { name: 'country', type: 'text', value: 'NL' },
    { name: 'age', type: 'number', value: '34' },
    { name: 'staff', type: 'boolean', value: 'true' },
    { name: 'teams', type: 'json', value: '["a","b"]' },
  ],
  others: {},
};
const CONTEXT = { key: 'user-1', attributes: { country: 'NL', age: 34, staff: true, teams: ['a', 'b'] } };

const withAttribute = (type: 'text' | 'number' | 'boolean' | 'json', value: string, name = 'a') =>
  readForm({ key: 'k', attributes: [{ name, type, value }], others: {} });

describe('form and JSON', () => {
  it('are two views of one context', () => {
    expect(readForm(FORM)).toEqual({ ok: true, context: CONTEXT });
    expect(formOf(CONTEXT)).toEqual(FORM);
    expect(readJson(jsonOfForm(FORM))).toEqual({ ok: true, context: CONTEXT });
  });

  it.each([
    [{ key: 'k', attributes: {} }],
    [{ key: '', attributes: { '': 1, '"': null, empty: '' } }],
    [{ key: 'k', attributes: { empty: '' } }],
    [{ key: 'ü', attributes: { a: { b: [null, 1.5, -0.25] } }, country: 'NL' }],
  ])('%j comes back as it was', context => {
    const form = formOf(context);
    const named = form?.attributes.every(({ name }) => name !== '') ?? false;
    if (form !== null && named) expect(readForm(form)).toEqual({ ok: true, context });
    expect(readJson(jsonOf(context))).toEqual({ ok: true, context });
  });

  it('what the service does not read stays, for it to warn about', () => {
    const context = { key: 'k', attributes: {}, country: 'NL' };
    expect(formOf(context)?.others).toEqual({ country: 'NL' });
  });

  it.each([[{ key: 7 }], [{ key: 'k', attributes: [] }], [{ key: 'k', attributes: null }]])(
    'a form cannot show %j',
    context => {
      expect(formOf(context)).toBeNull();
    },
  );

  it('what is missing is empty', () => {
    expect(formOf({})).toEqual({ key: '', attributes: [], others: {} });
  });
});

describe('JSON', () => {
  it.each([
    ['{"key": }', 'json'],
    ['', 'json'],
    ['[]', 'object'],
    ['null', 'object'],
    ['"k"', 'object'],
    ['{"attributes": {"id": 9007199254740993}}', 'precision'],
  ])('%s is refused: %s', (text, problem) => {
    expect(readJson(text)).toEqual({ ok: false, problem, place: null });
  });

  it.each(['{"a": 9007199254740991}', '{"a": 1e300}', '{"a": 0.1}'])('%s is exact', text => {
    expect(readJson(text).ok).toBe(true);
  });
});

describe('the form', () => {
  it.each([
    ['12', 12],
    [' -1.5e3 ', -1500],
    ['+.5', 0.5],
  ])('reads the number %j', (typed, value) => {
    expect(withAttribute('number', typed)).toEqual({
      ok: true,
      context: { key: 'k', attributes: { a: value } },
    });
  });

  it.each([
    ['number', ' ', 'number'],
    ['number', '0x10', 'number'],
    ['number', '1e999', 'number'],
    ['number', '9007199254740993', 'precision'],
    ['json', '{', 'json'],
  ] as const)('tells what is wrong with the %s %j', (type, value, problem) => {
    expect(withAttribute(type, value)).toEqual({ ok: false, problem, place: 0 });
  });

  it('names the second of two attributes of one name', () => {
    const [country] = FORM.attributes;
    const attributes = country === undefined ? [] : [country, country];
    expect(readForm({ ...FORM, attributes })).toEqual({ ok: false, problem: 'twice', place: 1 });
  });

  it('leaves out a row that nobody filled in', () => {
    const empty = { ok: true, context: { key: 'k', attributes: {} } };
    expect(withAttribute('text', '')).toEqual(empty);
    expect(withAttribute('number', '')).toEqual(empty);
    expect(withAttribute('text', '', '')).toEqual(empty);
    expect(withAttribute('boolean', 'false', '')).toEqual(empty);
    expect(withAttribute('text', 'NL', '')).toEqual({ ok: false, problem: 'unnamed', place: 0 });
  });

  it('takes the name of a property that every object has', () => {
    const read = withAttribute('text', 'x', '__proto__');
    expect(read.ok && jsonOf(read.context)).toContain('"__proto__": "x"');
  });

  it('becomes JSON also while something in it is wrong', () => {
    const form: ContextForm = {
      key: 'k',
      attributes: [{ name: 'age', type: 'number', value: '3x' }],
      others: {},
    };
    expect(JSON.parse(jsonOfForm(form))).toEqual({ key: 'k', attributes: { age: '3x' } });
  });
});

it.each([
  ['text', 'NL', 'json', '"NL"'],
  ['text', '', 'json', ''],
  ['number', '3', 'json', '3'],
  ['text', 'true', 'boolean', 'true'],
  ['text', 'NL', 'boolean', 'false'],
  ['boolean', 'true', 'text', 'true'],
] as const)('the %s %j as %s is %j', (from, value, to, expected) => {
  expect(retyped({ name: 'a', type: from, value }, to)).toEqual({ name: 'a', type: to, value: expected });
});
