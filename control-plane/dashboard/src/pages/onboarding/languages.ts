/**
 * The programs that are shown are those that `tests/ofrep` runs: the files here are copies, and a test compares them.
 */
import curl from './snippets/curl.txt?raw';
import node from './snippets/node.txt?raw';
import python from './snippets/python.txt?raw';
import react from './snippets/react.txt?raw';
import web from './snippets/web.txt?raw';

export type LanguageId = 'curl' | 'node' | 'python' | 'web' | 'react';

export interface Language {
  id: LanguageId;
  /** Packages that it needs. */
  install: string | null;
  program: string;
  /** Who the key is for: what runs in a browser gets one of its own kind. */
  keyType: 'server' | 'client';
}

/** The flag that all programs ask for. */
export const FLAG_KEY = 'new-checkout';

const CURL: Language = { id: 'curl', install: null, program: curl, keyType: 'server' };

export const LANGUAGES: readonly Language[] = [
  CURL,
  {
    id: 'node',
    install: 'npm install @openfeature/server-sdk @openfeature/ofrep-provider',
    program: node,
    keyType: 'server',
  },
  {
    id: 'python',
    install: 'pip install openfeature-sdk openfeature-provider-ofrep',
    program: python,
    keyType: 'server',
  },
  {
    id: 'web',
    install: 'npm install @openfeature/web-sdk @openfeature/ofrep-web-provider',
    program: web,
    keyType: 'client',
  },
  {
    id: 'react',
    install: 'npm install @openfeature/react-sdk @openfeature/ofrep-web-provider',
    program: react,
    keyType: 'client',
  },
];

/** The environment variables of programs for servers, as a shell sets them. */
export function variables(address: string, key: string): string {
  return `export HALYARD_EDGE_URL=${address}\nexport HALYARD_API_KEY=${key}`;
}
