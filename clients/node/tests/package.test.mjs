// What is published, as it is installed.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import * as esm from '@halyard/node';
import * as provider from '@halyard/node/openfeature';
import { KEY, startEdge } from './support/edge.mjs';
import { node } from './support/programs.mjs';

const require = createRequire(import.meta.url);
const home = dirname(require.resolve('@halyard/node/package.json'));
const manifest = require('@halyard/node/package.json');
const here = join(import.meta.dirname, '..');

/** A copy in a folder that has nothing else, without the files that `leave` names. */
function alone(t, leave = () => false) {
  const folder = mkdtempSync(join(tmpdir(), 'halyard-alone-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const place = join(folder, 'node_modules/@halyard/node');
  cpSync(home, place, { recursive: true, filter: path => !path.includes('node_modules/.') && !leave(path) });
  return folder;
}

test('the package has its entries, their types, one library and nothing else', () => {
  const library = readdirSync(home).filter(file => file.endsWith('.node'));
  assert.equal(library.length, 1);
  assert.match(library[0], /^halyard\.(linux-(x64|arm64)-(gnu|musl)|darwin-(x64|arm64))\.node$/);
  assert.deepEqual(
    readdirSync(home).sort(),
    ['LICENSE', 'README.md', library[0], 'lib', 'package.json'].sort(),
  );
  for (const entry of Object.values(manifest.exports).filter(entry => typeof entry === 'object'))
    for (const { types, default: code } of Object.values(entry))
      assert.ok(readFileSync(join(home, types)).length > 0 && readFileSync(join(home, code)).length > 0);
  assert.equal(manifest.dependencies, undefined);
  assert.equal(manifest.peerDependenciesMeta['@openfeature/server-sdk'].optional, true);
});

test('both kinds of modules have the same objects', () => {
  const cjs = require('@halyard/node');
  assert.deepEqual(Object.keys(esm).sort(), ['Client', 'Context', 'StartError']);
  // Classes are equal only to themselves.
  assert.deepEqual({ ...esm }, cjs);
  assert.equal(provider.HalyardProvider, require('@halyard/node/openfeature').HalyardProvider);
});

test('without OpenFeature the package is used, and its entry says what it needs', t => {
  const cwd = alone(t);
  const code = `
    const { Client } = require('@halyard/node');
    try { require('@halyard/node/openfeature') } catch (why) { console.log(why.code, /@openfeature.server-sdk/.test(why.message)) }
    Client.fromFile('none').catch(why => console.log(why.code));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', code], { cwd, encoding: 'utf8' });
  assert.deepEqual([stdout, stderr], ['MODULE_NOT_FOUND true\nFILE\n', '']);
});

test('where there is no library for the platform, that is said', t => {
  const cwd = alone(t, path => path.endsWith('.node'));
  const { status, stderr } = spawnSync(process.execPath, ['-e', `require('@halyard/node')`], {
    cwd,
    encoding: 'utf8',
  });
  assert.equal(status, 1);
  assert.match(stderr, /Error: @halyard\/node has no library for \w+-\w+/);
});

test('the README prints the example, which runs', async t => {
  const example = join(here, 'examples/first-flag.mjs');
  const shown = readFileSync(example, 'utf8').split('from here …\n')[1].split('// … to here')[0].trim();
  assert.ok(shown.split('\n').length <= 5);
  const readme = readFileSync(join(here, 'README.md'), 'utf8');
  assert.ok(readme.includes(`\n${shown}\n\`\`\``), `the README does not show:\n${shown}`);
  const { url } = await startEdge(t);
  process.env.HALYARD_API_KEY = KEY;
  const { status, output } = await node([example, url, 'new-checkout']);
  assert.deepEqual([status, output], [0, 'new-checkout is off']);
});
