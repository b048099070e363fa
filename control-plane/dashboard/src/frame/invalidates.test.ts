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

it('a flag makes the overview of its project stale, the pages of its flags, and who uses segments', () => {
  expect(invalidates(CHANGE)).toEqual([
    ['overview', 'p'],
    ['flag', 'p'],
    ['segment-uses', 'p'],
  ]);
});

it('a segment makes the segments of its project stale', () => {
  expect(invalidates({ ...CHANGE, resource_type: 'segment' })).toEqual([['segments', 'p']]);
});

it('an API key makes the keys of its environment stale', () => {
  expect(invalidates({ ...CHANGE, resource_type: 'api_key' })).toEqual([['api-keys', 'e']]);
});

it('a deleted project, which has none, changes what the member sees and what the plan has left', () => {
  expect(invalidates({ ...CHANGE, resource_type: 'project', project_id: null })).toEqual([['me'], ['usage']]);
});

it('what no page shows makes nothing stale', () => {
  expect(invalidates({ ...CHANGE, resource_type: 'webhook' })).toEqual([]);
});
