import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FLAG_KEY, LANGUAGES } from './languages';

const TESTED = join(import.meta.dirname, '../../../../../tests/ofrep/snippets');
const DOCUMENT = join(import.meta.dirname, '../../../../../docs/ofrep.md');
const FILES = { curl: 'curl.sh', node: 'node.mjs', python: 'python.py', web: 'web.mjs', react: 'react.jsx' };

it.each(LANGUAGES)('the program for $id is the one that is tested', ({ id, program }) => {
  expect(program).toBe(readFileSync(join(TESTED, FILES[id]), 'utf8'));
  expect(program).toMatch(new RegExp(`["'/]${FLAG_KEY}["']`));
});

it.each(LANGUAGES.filter(({ install }) => install !== null))(
  'what $id needs is installed as the document says',
  ({ install }) => {
    expect(readFileSync(DOCUMENT, 'utf8')).toContain(`\`${install}\``);
  },
);
