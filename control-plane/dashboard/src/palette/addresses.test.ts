import { expect, it } from 'vitest';
import { addressOf, type Found } from './addresses';

const PROJECTS = [{ id: 'p', slug: 'web' }];

it.each<[Found['type'], string, string]>([
  ['flag', 'a b', '/p/web/flags/a%20b'],
  ['segment', 'beta', '/p/web/segments/beta'],
  ['environment', 'dev', '/p/web/environments/dev/keys'],
  ['project', 'web', '/p/web/flags'],
  ['member', 'ada@acme.test', '/team/1'],
])('a %s %s is at %s', (type, key, path) => {
  expect(addressOf({ id: '1', type, key, project_id: type === 'member' ? null : 'p' }, PROJECTS)?.path).toBe(
    path,
  );
});

it('what is in no project of mine is nowhere', () => {
  expect(addressOf({ id: '1', type: 'flag', key: 'x', project_id: 'other' }, PROJECTS)).toBeNull();
});
