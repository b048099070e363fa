// The snippets of the README, bundled as an application would, from what is built.

import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '../..');

/** The code of a snippet as one module. */
export async function bundled(file, options = {}) {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'tests/snippets', file)],
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    alias: { '@halyard/web': join(root, 'dist/index.js'), '@halyard/web/react': join(root, 'dist/react.js') },
    ...options,
  });
  return outputFiles[0].text;
}
