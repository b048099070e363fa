import { describe, expect, it } from 'vitest';
import { attributesLookedAt } from './attributes';
import { type Edited, EMPTY, editedOf, inView, readEdited, withAttributes } from './edited';

const json = (text: string): Edited => ({ view: 'json', text });

describe('going from one view to the other', () => {
  it('keeps the context', () => {
    const context = { key: 'k', attributes: { country: 'NL', age: 3 } };
    const form = editedOf(context);
    expect(form.view).toBe('form');
    const text = inView(form, 'json');
    expect(text?.view).toBe('json');
    const back = text === null ? null : inView(text, 'form');
    expect(back).toEqual(form);
    expect(back === null ? null : readEdited(back)).toEqual({ ok: true, context });
  });

  it('is not possible while the JSON is none, or none for a form', () => {
    expect(inView(json('{'), 'form')).toBeNull();
    expect(inView(json('{"key": 7}'), 'form')).toBeNull();
  });

  it('to the view that is open changes nothing', () => {
    expect(inView(json('{'), 'json')).toEqual(json('{'));
    expect(inView(EMPTY, 'form')).toBe(EMPTY);
  });
});

it('what a form cannot show is edited as JSON', () => {
  expect(editedOf({ key: 7 })).toEqual(json('{\n  "key": 7\n}'));
});

it('rows that nobody filled in make room for named ones', () => {
  const form = { key: 'k', attributes: [{ name: '', type: 'text', value: '' } as const], others: {} };
  expect(withAttributes(form, ['a', 'b']).attributes.map(({ name }) => name)).toEqual(['a', 'b']);
});

it('attributes come from conditions and from those of the segments, each once', () => {
  const condition = (attribute: string) => ({ attribute, operator: 'eq', values: [] }) as const;
  const rule = (attributes: string[], segment_keys: string[]) => ({
    conditions: attributes.map(condition) as never[],
    segment_keys,
  });
  const segments = [
    { key: 'beta', rules: [condition('plan'), condition('country')] as never[] },
    { key: 'other', rules: [condition('age')] as never[] },
  ];
  expect(
    attributesLookedAt([rule(['country', 'key'], ['beta', 'gone']), rule(['email', ''], [])], segments),
  ).toEqual(['country', 'plan', 'email']);
});
