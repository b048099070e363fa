// Programs that tests run in processes of their own.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const tests = join(import.meta.dirname, '..');

/** Evaluates a module with arguments, beside the tests. */
export const run = (code, args = [], options = {}) =>
  node(['--input-type=module', '--eval', code, '--', ...args], options);

/** Runs a file beside the tests. */
export const runFile = (file, args = []) => node([join(tests, file), ...args]);

/** What it printed, how it ended, and after how many milliseconds. It is killed after 20 s. */
export async function node(args, { cwd = tests } = {}) {
  const began = Date.now();
  const child = spawn(process.execPath, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 20_000,
    killSignal: 'SIGKILL',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', part => {
      output += part;
    });
  }
  const [status, signal] = await once(child, 'close');
  return { status, signal, output: output.trim(), took: Date.now() - began };
}
