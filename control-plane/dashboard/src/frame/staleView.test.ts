import { expect, it } from 'vitest';
import type { Change } from '../api/events';
import { concerns } from './staleView';

const CHANGE: Change = {
  action: 'flag.state_updated',
  resource_type: 'flag',
  resource_id: '1',
  project_id: 'p',
  env_id: 'dev',
  actor_id: 'ada',
  version: 2,
  at: '2026-01-02T15:04:05Z',
};
const VIEW = { resourceType: 'flag', resourceId: '1', envId: 'dev' };

it.each<[string, Partial<Change>, boolean]>([
  ['by somebody else', {}, true],
  ['by the system', { actor_id: null }, true],
  ['to no environment in particular', { env_id: null }, true],
  ['by oneself', { actor_id: 'me' }, false],
  ['to another flag', { resource_id: '2' }, false],
  ['to a segment', { resource_type: 'segment' }, false],
  ['in another environment', { env_id: 'production' }, false],
])('a change %s', (_, change, expected) => {
  expect(concerns({ ...CHANGE, ...change }, VIEW, 'me')).toBe(expected);
});

it('a view of all environments is concerned by each', () => {
  expect(concerns(CHANGE, { resourceType: 'flag', resourceId: '1' }, 'me')).toBe(true);
});
