/** Pages can be laid out from right to left: styles name no side that is not one of the text. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const SOURCES = join(import.meta.dirname, '..');
const PHYSICAL = new RegExp(
  [
    String.raw`(?:^|[\s;{])(?:margin|padding|border|inset|scroll-margin|scroll-padding)-(?:left|right|top|bottom)\b`,
    String.raw`(?:^|[\s;{])border-(?:top|bottom)-(?:left|right)-radius\b`,
    String.raw`(?:^|[\s;{])(?:left|right|top|bottom|width|height|(?:min|max)-(?:width|height))\s*:`,
    String.raw`(?:text-align|float|clear)\s*:\s*(?:left|right)\b`,
  ].join('|'),
  'gm',
);
/** The same in `style={…}`, where the names are written together. */
const PHYSICAL_IN_SCRIPT =
  /style=\{\{[^}]*\b(?:left|right|top|bottom|width|height|(?:margin|padding)(?:Left|Right|Top|Bottom))\s*:/g;

function found(name: string, pattern: RegExp): string[] {
  const text = readFileSync(join(SOURCES, name), 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '');
  return [...text.matchAll(pattern)].map(([what]) => `${name}: ${what.trim()}`);
}

const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });

it('styles have logical properties only', () => {
  const styles = files.filter(name => name.endsWith('.css'));
  expect(styles.length).toBeGreaterThan(10);
  expect(styles.flatMap(name => found(name, PHYSICAL))).toEqual([]);
});

it('so do styles in scripts', () => {
  const scripts = files.filter(name => name.endsWith('.tsx'));
  expect(scripts.flatMap(name => found(name, PHYSICAL_IN_SCRIPT))).toEqual([]);
});

it.each([
  ['.a { margin-left: 1px; }', 1],
  ['.a {\n  width: 1px;\n}', 1],
  ['.a { border-top-left-radius: 1px; text-align: right; }', 2],
  ['.a { inline-size: 1px; margin-inline-start: 2px; border-inline-end-color: red; }', 0],
  ['@media (width < 40rem) { .a { text-align: start; line-height: 1; border-width: 1px; } }', 0],
])('%s has %i that are not', (text, count) => {
  expect([...text.matchAll(PHYSICAL)]).toHaveLength(count);
});
