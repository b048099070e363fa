// Builds dist/: a module for each entry, minified, and their types.

import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { build } from 'esbuild';

process.chdir(import.meta.dirname);
rmSync('dist', { recursive: true, force: true });
await build({
  entryPoints: ['src/index.ts', 'src/react.ts'],
  outdir: 'dist',
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['es2022', 'safari15.4', 'chrome98', 'firefox98'],
  external: ['react'],
  logLevel: 'warning',
});
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.build.json'], {
  stdio: 'inherit',
});
