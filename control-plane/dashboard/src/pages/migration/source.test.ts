import { expect, it } from 'vitest';
import type { Item } from './queries';
import { canKeepBuckets, environmentsOf, importOf, mapped, sourceOf } from './source';

const UNLEASH = {
  provider: 'provider_b',
  baseUrl: ' https://u.example ',
  projectKey: 'default',
  apiKey: 'k ',
} as const;
const NONE = { projectId: 'p', keepsBuckets: false, environments: {} };

function item(kind: Item['kind'], source: string, key: string | null): Item {
  return { kind, source, key, verdict: key === null ? 'skipped' : 'exact', reasons: [] };
}

it('what is empty is left to the service', () => {
  expect(sourceOf({ ...UNLEASH, baseUrl: '', projectKey: ' ' })).toEqual({
    provider: 'provider_b',
    api_key: 'k',
  });
  expect(importOf(UNLEASH, NONE)).toEqual({
    provider: 'provider_b',
    api_key: 'k',
    base_url: 'https://u.example',
    project_key: 'default',
    target_project_id: 'p',
  });
});

it('buckets are kept where the platform allows it', () => {
  const keep = { ...NONE, keepsBuckets: true };
  expect(importOf(UNLEASH, keep).buckets).toBe('keep');
  expect(importOf({ ...UNLEASH, provider: 'provider_c' }, keep).buckets).toBeUndefined();
  expect((['provider_a', 'provider_b', 'provider_c'] as const).map(canKeepBuckets)).toEqual([
    true,
    true,
    false,
  ]);
});

it('an environment that keeps its own slug is no choice', () => {
  const items = [item('flag', 'development', 'development'), item('environment', 'development', 'dev')];
  const found = environmentsOf(['development', 'lost'], items);
  expect(found).toEqual([
    { name: 'development', slug: 'dev' },
    { name: 'lost', slug: null },
  ]);
  const [development] = found;
  if (development === undefined) throw new Error('it is there');
  const chosen = mapped({ lost: 'x' }, development, 'staging');
  expect(chosen).toEqual({ lost: 'x', development: 'staging' });
  expect(mapped(chosen, development, 'dev')).toEqual({ lost: 'x' });
  expect(importOf(UNLEASH, { ...NONE, environments: chosen }).environments).toEqual(chosen);
});
