import { expect, it } from 'vitest';
import { shown } from './shown';

it.each([
  ['plain text, 3 × “quoted”\n\tand tabbed', 'plain text, 3 × “quoted”\n\tand tabbed'],
  ['\u202Egnp.exe', '\\u202Egnp.exe'],
  ['a\u2066b\u2069c\u200Fd', 'a\\u2066b\\u2069c\\u200Fd'],
  ['zero\u200Bwidth\uFEFF', 'zero\\u200Bwidth\\uFEFF'],
  ['\u0000\u001B[31m', '\\u0000\\u001B[31m'],
  ['tag\u{E0041}', 'tag\\u{E0041}'],
  ['שלום مرحبا', 'שלום مرحبا'],
  ['👩‍💻 می‌خواهم', '👩‍💻 می‌خواهم'],
])('%j is shown as %j', (text, expected) => {
  expect(shown(text)).toBe(expected);
});
