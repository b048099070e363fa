import { expect, it } from 'vitest';
import { limitsOf, rolesUpTo } from './limits';

const NONE = { role: null, project_ids: null, env_ids: null, read_only: false };
const PROJECTS = ['shop', 'web', 'app', 'mail'].map(id => ({ id, name: id.toUpperCase() }));
const ENVIRONMENTS = [
  { id: 'shop-production', name: 'Production', project_id: 'shop' },
  { id: 'web-production', name: 'Production', project_id: 'web' },
];

it.each([
  [{}, []],
  [{ role: 'developer' as const, read_only: true }, ['Developer at most', 'Read-only']],
  [{ project_ids: ['shop'] }, ['Projects: SHOP']],
  [{ project_ids: ['shop', 'web', 'app', 'mail'] }, ['Projects: SHOP, WEB, APP and 1 other']],
  [{ project_ids: ['shop', 'deleted'] }, ['Projects: SHOP and 1 other']],
  [{ project_ids: ['shop'], env_ids: ['shop-production'] }, ['Projects: SHOP', 'Environments: Production']],
  [
    { project_ids: ['shop', 'web'], env_ids: ['shop-production', 'web-production'] },
    ['Projects: SHOP and WEB', 'Environments: Production of SHOP and Production of WEB'],
  ],
  [
    { project_ids: ['shop'], env_ids: ['not-loaded', 'deleted'] },
    ['Projects: SHOP', 'Environments: 2 others'],
  ],
])('%j: %j', (limits, lines) => {
  expect(limitsOf({ ...NONE, ...limits }, PROJECTS, ENVIRONMENTS)).toEqual(lines);
});

it('a token is limited to a role of its holder or a lower one', () => {
  expect(rolesUpTo('developer')).toEqual(['viewer', 'developer']);
  expect(rolesUpTo('owner')).toEqual(['viewer', 'developer', 'admin', 'owner']);
});
