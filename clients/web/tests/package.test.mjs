// What is published: its size, and what it needs.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

const root = join(import.meta.dirname, '..');
const read = path => readFileSync(join(root, path));
const manifest = JSON.parse(read('package.json'));

for (const [file, most] of [
  ['dist/index.js', 5_000],
  ['dist/react.js', 1_000],
])
  test(`${file} has at most ${most} bytes, compressed`, () => {
    const size = gzipSync(read(file), { level: 9 }).length;
    assert.ok(size <= most, `${size} bytes`);
  });

test('nothing is needed at run time but React, by those who use it', () => {
  assert.equal(manifest.dependencies, undefined);
  const imported = file =>
    [
      ...read(file)
        .toString()
        .matchAll(/(?:from|import)\s*\(?["']([^"']+)["']/g),
    ].map(m => m[1]);
  assert.deepEqual(imported('dist/index.js'), []);
  assert.deepEqual(imported('dist/react.js'), ['react']);
});

test('each entry has its code and its types among the files that are published', async () => {
  for (const { types, default: code } of Object.values(manifest.exports)) {
    assert.ok(read(types).length > 0 && read(code).length > 0);
    assert.ok(manifest.files.includes(`${code.replace('./', '').replace(/\/[^/]+$/, '')}/*.js`));
  }
  assert.deepEqual(Object.keys(await import('../dist/index.js')).sort(), ['Problem', 'createClient']);
});

test('the README prints what is tested', () => {
  const readme = read('README.md').toString();
  for (const file of ['page.ts', 'Checkout.tsx'])
    assert.ok(
      readme.includes(`\n${read(`tests/snippets/${file}`)}\`\`\``),
      `README.md does not print ${file} as it is`,
    );
});
