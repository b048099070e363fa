import { expect, it } from 'vitest';
import { placeOf, versionsOf, withState } from './drafting';
import type { Part } from './queries';

it('a state is added to edits, and everything else in them stays', () => {
  const edit = { flagKey: 'checkout', envSlug: 'dev', fields: { enabled: true } };
  const once = withState({ remove: { segments: ['beta'] } }, edit);
  expect(once).toEqual({
    remove: { segments: ['beta'] },
    flags: [{ key: 'checkout', states: { dev: { enabled: true } } }],
  });
  const twice = withState(once, { ...edit, fields: { percentage_rollout: 2500 } });
  const elsewhere = withState(twice, { ...edit, envSlug: 'production' });
  const another = withState(elsewhere, { ...edit, flagKey: 'payment', fields: { enabled: false } });
  expect(another.flags).toEqual([
    {
      key: 'checkout',
      states: { dev: { enabled: true, percentage_rollout: 2500 }, production: { enabled: true } },
    },
    { key: 'payment', states: { dev: { enabled: false } } },
  ]);
  expect(once.flags?.[0]?.states).toEqual({ dev: { enabled: true } });
});

it('keeps the fields of a flag whose state is added', () => {
  const changes = { flags: [{ key: 'checkout', name: 'Check-out' }] };
  const edit = { flagKey: 'checkout', envSlug: 'dev', fields: { enabled: true } };
  expect(withState(changes, edit).flags).toEqual([
    { key: 'checkout', name: 'Check-out', states: { dev: { enabled: true } } },
  ]);
});

it('names the places of things as the service does', () => {
  const part = (kind: Part['kind'], key: string, env_slug: string | null = null) =>
    ({ kind, key, env_slug, version: 3 }) as Part;
  expect(placeOf(part('environment', 'qa'))).toBe('environments.qa');
  expect(versionsOf([part('segment', 'beta'), part('flag', 'a'), part('state', 'a', 'dev')])).toEqual({
    'segments.beta': 3,
    'flags.a': 3,
    'flags.a.states.dev': 3,
  });
});
