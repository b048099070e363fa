import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SNIPPETS } from './snippets';

const DOCUMENT = join(import.meta.dirname, '../../../../../docs/webhooks.md');
const SECRET = 'whsec_1';
const BODY = '{"type":"flag.killed","flag_key":"checkout é"}';

function headerAt(seconds: number, body = BODY): string {
  const v1 = createHmac('sha256', SECRET).update(`${seconds}.7.${body}`).digest('hex');
  return `t=${seconds},id=7,v1=${v1}`;
}

const now = Math.floor(Date.now() / 1000);
/** What is given, and whether it is an event. */
const CASES: [name: string, header: string, seen: string[], isEvent: boolean][] = [
  ['what Halyard signs', headerAt(now), [], true],
  ['another body', headerAt(now, '{}'), [], false],
  ['an old one', headerAt(now - 301), [], false],
  ['one that came before', headerAt(now), ['7'], false],
];

function programOf(id: string): string {
  return SNIPPETS.find(snippet => snippet.id === id)?.program ?? '';
}

it.each(CASES)('the program for Node reads %s', async (_, header, seen, isEvent) => {
  const source = `data:text/javascript,${encodeURIComponent(programOf('node'))}`;
  const { readEvent } = await import(/* @vite-ignore */ source);
  const event = readEvent(SECRET, Buffer.from(BODY), header, new Set(seen));
  expect(event).toEqual(isEvent ? JSON.parse(BODY) : null);
});

const hasPython =
  spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']).status === 0;

it.skipIf(!hasPython).each(CASES)('the program for Python reads %s', (_, header, seen, isEvent) => {
  const call = `import sys\ngiven = json.load(sys.stdin)
print(json.dumps(event(given["secret"].encode(), given["body"].encode(), given["header"], set(given["seen"]))))`;
  const input = JSON.stringify({ secret: SECRET, body: BODY, header, seen });
  const ran = spawnSync('python3', ['-c', `${programOf('python')}\n${call}`], { input, encoding: 'utf8' });
  expect(ran.stderr).toBe('');
  expect(JSON.parse(ran.stdout)).toEqual(isEvent ? JSON.parse(BODY) : null);
});

it('the program for Python is that of the document', () => {
  expect(readFileSync(DOCUMENT, 'utf8')).toContain(`\`\`\`python\n${programOf('python')}\`\`\``);
});
