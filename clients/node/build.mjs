// Builds the library for this platform, and puts it where lib/native.js looks. `--debug`: without optimisation, for tests.

import { execFileSync } from 'node:child_process';
import { copyFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import native from './lib/platform.js';

process.chdir(import.meta.dirname);
const isDebug = process.argv.includes('--debug');
const args = ['build', '--package', 'halyard-node', '--locked', ...(isDebug ? [] : ['--release'])];
// Names of functions are of no use to those who install it, and are a third of the file.
const env = { CARGO_PROFILE_RELEASE_STRIP: 'symbols', ...process.env };
const shown = execFileSync('cargo', [...args, '--message-format', 'json-render-diagnostics'], {
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
  maxBuffer: 1 << 28,
});

/** What cargo says that it made. */
const [library] = shown
  .toString()
  .split('\n')
  .filter(line => line.includes('"compiler-artifact"'))
  .map(line => JSON.parse(line))
  .filter(({ target }) => target.name === 'halyard_node')
  .flatMap(({ filenames }) => filenames);
const file = `halyard.${native.platform()}.node`;
// As a whole: a process may have the one before loaded.
copyFileSync(library, `${file}.new`);
renameSync(`${file}.new`, file);
process.stdout.write(`${join('clients/node', file)}\n`);
