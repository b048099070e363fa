// Builds the library for this platform, and puts it where lib/native.js looks. `--debug`: without optimisation, for tests;
// `--from FOLDER`: as Cargo has built it there.

import { execFileSync } from 'node:child_process';
import { copyFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import native from './lib/platform.js';

process.chdir(import.meta.dirname);
const { values } = parseArgs({ options: { debug: { type: 'boolean' }, from: { type: 'string' } } });
const ending = process.platform === 'darwin' ? 'dylib' : 'so';
const library = values.from ? join(values.from, `libhalyard_node.${ending}`) : built(values.debug);
const file = `halyard.${native.platform()}.node`;
// As a whole: a process may have the one before loaded.
copyFileSync(library, `${file}.new`);
renameSync(`${file}.new`, file);

/** The file that Cargo says it made. */
function built(isDebug) {
  const form = ['--locked', '--message-format=json-render-diagnostics', ...(isDebug ? [] : ['--release'])];
  const told = execFileSync('cargo', ['build', '--package=halyard-node', ...form], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1 << 28,
  });
  const lines = told.split('\n').filter(line => line.includes('"compiler-artifact"'));
  const artifacts = lines.map(line => JSON.parse(line));
  return artifacts.find(({ target }) => target.name === 'halyard_node').filenames[0];
}
