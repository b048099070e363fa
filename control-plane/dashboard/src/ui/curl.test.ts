import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { curl } from './curl';

/** What a shell makes of a command: its words, one a line. */
function words(command: string): string[] {
  const script = `set -- ${command.replace(/^curl /, '')}; for word; do printf '%s\\n' "$word"; done`;
  const output = execFileSync('sh', ['-c', script], { env: { HALYARD_TOKEN: 't' }, encoding: 'utf8' });
  return output.trimEnd().split('\n');
}

it('a request with a body', () => {
  const body = { name: 'Ada\'s $flag `x` \\ "y"', enabled: true };
  expect(words(curl('https://h.test', { method: 'POST', path: '/v1/projects/1/flags', body }))).toEqual([
    '-X',
    'POST',
    'https://h.test/v1/projects/1/flags',
    '-H',
    'Authorization: Bearer t',
    '-H',
    'Content-Type: application/json',
    '-d',
    JSON.stringify(body),
  ]);
});

it('a request for something to read', () => {
  expect(words(curl('https://h.test', { method: 'GET', path: '/v1/me' }))).toEqual([
    'https://h.test/v1/me',
    '-H',
    'Authorization: Bearer t',
  ]);
});
