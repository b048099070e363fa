/** Programs that verify a signature. A test runs them; the one in Python is that of docs/webhooks.md. */
import node from './snippets/node.txt?raw';
import python from './snippets/python.txt?raw';

export const SNIPPETS = [
  { id: 'node', program: node },
  { id: 'python', program: python },
] as const;

export type SnippetId = (typeof SNIPPETS)[number]['id'];
