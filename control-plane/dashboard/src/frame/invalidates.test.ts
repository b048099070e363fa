import { expect, it } from 'vitest';
import type { Change } from '../api/events';
import { invalidates } from './invalidates';

const CHANGE: Change = {
  action: 'flag.state_updated',
  resource_type: 'flag',
  resource_id: '1',
  project_id: 'p',
  env_id: 'e',
  actor_id: null,
  version: 2,
  at: '2026-01-02T15:04:05Z',
};

it('a flag makes stale: the overview, the pages of flags, who uses segments, and what flags answer', () => {
  expect(invalidates(CHANGE)).toEqual([
    ['overview', 'p'],
    ['flag', 'p'],
    ['segment-uses', 'p'],
    ['explain', 'p'],
    ['approval-diff', 'p'],
    ['change-sets', 'p'],
    ['grants', 'p'],
  ]);
});

it('a segment makes the segments of its project stale, and what flags answer', () => {
  expect(invalidates({ ...CHANGE, resource_type: 'segment' })).toEqual([
    ['segments', 'p'],
    ['explain', 'p'],
    ['change-sets', 'p'],
  ]);
});

it('an API key makes the keys of its environment stale', () => {
  expect(invalidates({ ...CHANGE, resource_type: 'api_key' })).toEqual([['api-keys', 'e']]);
});

it('a deleted project, which has none, changes what the member sees and what the plan has left', () => {
  expect(invalidates({ ...CHANGE, resource_type: 'project', project_id: null })).toEqual([['me'], ['usage']]);
});

it('what no page shows makes nothing stale', () => {
  expect(invalidates({ ...CHANGE, resource_type: 'mfa' })).toEqual([]);
});

it('webhooks, imports and the subscription have pages of their own', () => {
  const of = (resource_type: string) => invalidates({ ...CHANGE, resource_type });
  expect(of('webhook')).toEqual([['webhooks']]);
  expect(of('migration')).toEqual([['migrations']]);
  expect(of('billing')).toEqual([['subscription'], ['usage'], ['me']]);
});

it('what is set up for sign-in, and whom a provider made a member, is on two pages', () => {
  expect(invalidates({ ...CHANGE, resource_type: 'sign_in' })).toEqual([['sign-in'], ['team']]);
});
