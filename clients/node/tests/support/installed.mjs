// Packs what is built, installs the package into an empty folder, and runs the tests there, with the package as applications have it.

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'halyard-installed-'));
const npm = (args, cwd) => execFileSync('npm', [...args, '--loglevel=error'], { cwd, encoding: 'utf8' });

let status = 1;
try {
  const [{ filename }] = JSON.parse(npm(['pack', '--json', '--pack-destination', folder], root));
  // Without a network: it has no dependencies.
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  npm(['install', '--offline', '--no-audit', '--no-fund', `./${filename}`], folder);
  for (const part of ['tests', 'examples', 'README.md'])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  // Its peer, which one of the tests leaves out.
  symlinkSync(join(root, 'node_modules/@openfeature'), join(folder, 'node_modules/@openfeature'));
  const reporters = ['spec', './tests/support/report.mjs'].flatMap(reporter => [
    `--test-reporter=${reporter}`,
    '--test-reporter-destination=stdout',
  ]);
  const files = ['edge', 'loop', 'numbers', 'openfeature', 'package', 'process', 'signing', 'vectors'];
  const paths = files.map(file => `tests/${file}.test.mjs`);
  const args = ['--test', '--test-concurrency=3', ...reporters, ...paths];
  ({ status } = spawnSync(process.execPath, args, { cwd: folder, stdio: 'inherit' }));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = status ?? 1;
