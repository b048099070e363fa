import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import localesPlugin from '@react-aria/optimize-locales-plugin';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const root = import.meta.dirname;
const api = process.env.HALYARD_API ?? 'http://127.0.0.1:8080';

/** Everything that the output is made of. README.md says how the digest is computed; a Rust test computes it too. */
const SINGLE_FILES = [
  'biome.json',
  'index.html',
  'package-lock.json',
  'package.json',
  'tsconfig.json',
  'vite.config.ts',
];
const FOLDERS = ['public', 'src'];
const LAYERS = ['reset', 'base', 'components', 'pages'];

function sources(): string[] {
  const inside = FOLDERS.flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name).slice(root.length + 1)),
  );
  return [...SINGLE_FILES, ...inside].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

function digest(): string {
  const hash = createHash('sha256');
  for (const path of sources()) {
    const bytes = readFileSync(join(root, path));
    hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}

/** Adds `integrity` to the entry script and style of the shell, and writes the digest of the sources beside them. */
function sealed(): Plugin {
  let folder = '';
  return {
    name: 'halyard-sealed',
    apply: 'build',
    configResolved(config) {
      folder = join(root, config.build.outDir);
    },
    writeBundle: {
      order: 'post',
      handler(options) {
        folder = options.dir ?? folder;
        // The order of layers is that of their first appearance: the tokens have to come before all components.
        const styles = readFileSync(join(folder, 'style.css'), 'utf8');
        const layers = new Set(
          [...styles.matchAll(/@layer ([\w,]+)/g)].flatMap(found => found[1]?.split(',')),
        );
        if ([...layers].join() !== LAYERS.join()) throw new Error(`wrong order of layers: ${[...layers]}`);
        const shell = join(folder, 'index.html');
        const html = readFileSync(shell, 'utf8').replace(
          /(?:src|href)="\.\/([\w.-]+\.(?:js|css))"/g,
          (attribute, name: string) => {
            const sum = createHash('sha384')
              .update(readFileSync(join(folder, name)))
              .digest('base64');
            return `${attribute} integrity="sha384-${sum}"`;
          },
        );
        writeFileSync(shell, html);
        writeFileSync(join(folder, 'digest'), `${digest()}\n`);
      },
    },
  };
}

/** With `HALYARD_TEXT=long` every text is longer, as in other languages: pages have to hold it. Never part of `dist/`. */
function longTexts(): Plugin {
  return {
    name: 'halyard-long-texts',
    enforce: 'pre',
    transform(code, id) {
      if (!/src\/messages\/(?!format|longer)\w+\.ts$|\/messages\.ts$/.test(id)) return null;
      const exported = [...code.matchAll(/^export const (\w+)/gm)].map(found => found[1]);
      return `import { lengthen } from '${join(root, 'src/messages/longer')}';\n${code}\nlengthen({ ${exported.join()} });\n`;
    },
  };
}

export default defineConfig({
  base: './',
  plugins: [
    { ...localesPlugin.vite({ locales: ['en-US'] }), enforce: 'pre' },
    process.env.HALYARD_TEXT === 'long' ? longTexts() : null,
    react(),
    sealed(),
  ],
  build: {
    target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    sourcemap: false,
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        entryFileNames: 'app.js',
        chunkFileNames: '[name].js',
        assetFileNames: '[name][extname]',
        codeSplitting: {
          groups: [
            {
              // Only pages with charts load it.
              name: 'charts',
              test: /node_modules[\\/]uplot[\\/]/,
              priority: 4,
            },
            {
              // What every page needs of libraries, and what changes only when they do.
              name: 'vendor',
              test: /node_modules[\\/](react|react-dom|scheduler|@tanstack[\\/](?!react-virtual|virtual-core|react-query|query-core)[^\\/]+)[\\/]/,
              priority: 3,
            },
            {
              // The widgets and our own code that forms before and after sign-in share.
              name: 'forms',
              test: /(node_modules[\\/]react-aria[\\/]dist[\\/]private[\\/]i18n[\\/]I18nProvider|src[\\/](api[\\/](client|http|refusal)|messages[\\/](open|format)|pages[\\/]signIn[\\/]SignInLayout|session[\\/](?!me|endSessions|permissions|unsaved)|frame[\\/](outdated|preferences)|ui[\\/](Boundary|part|Button|createStore|Field|Feedback|ServerForm|refusalText|usePageTitle|useOnline|Logo|Pennants|say|theme\.css|layout\.css)))/,
              priority: 2,
            },
            {
              // What only pages after sign-in have: queries, menus, dialogs, the frame itself.
              name: 'frame',
              test: /(node_modules[\\/]@tanstack[\\/](react-query|query-core)[\\/](?!.*[iI]nfiniteQuery(Observer|\.js))|src[\\/](frame[\\/](?!NoProject|Shortcuts|SignInAgain|SignOutEverywhere|StaleView|staleView|Deleted|gone[\\/]|outdated|preferences)|kill[\\/]|fleet[\\/](Wave|waves|messages)|flagState[\\/](queries|dependants|switchFlag|isProduction)|pages[\\/]flags[\\/]messages|ui[\\/](?!Toast|Tabs|Table|CurlBox|curl|CopyButton|useCopied|useSeen)))/,
              priority: 1,
            },
          ],
        },
      },
    },
  },
  server: { proxy: { '/v1': api, '/ofrep': api } },
  // Some tests read all sources, which takes its time on a machine that others use too.
  test: { environment: 'node', include: ['src/**/*.test.{ts,tsx}'], testTimeout: 30_000 },
} as Parameters<typeof defineConfig>[0]);
