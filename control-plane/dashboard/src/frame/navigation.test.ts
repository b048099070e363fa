import { expect, it } from 'vitest';
import paths from '../routes/paths.json';
import { OF_ORGANIZATION, OF_PROJECT, SETTINGS, shown } from './navigation';

const ALL = [...OF_PROJECT, ...OF_ORGANIZATION, ...SETTINGS];

it('leads to addresses that there are, and to each once', () => {
  const listed = ALL.map(({ to }) => to.replace('$project', '{project}'));
  expect(new Set(listed).size).toBe(listed.length);
  for (const path of listed) expect(paths).toContain(path);
});

it('gives no two pages the same keys', () => {
  const keys = ALL.flatMap(entry => entry.keys ?? []);
  expect(new Set(keys).size).toBe(keys.length);
});

it('shows what a person may open', () => {
  const entries = [
    { label: () => 'all', to: '/team', icon: 'svg' },
    { label: () => 'permitted', to: '/team', icon: 'svg', permission: 'audit.read' },
    { label: () => 'role', to: '/team', icon: 'svg', permission: 'audit.read', roles: ['owner'] },
  ] as never as typeof OF_ORGANIZATION;
  const names = (role: 'owner' | 'viewer', ...permissions: string[]) =>
    shown(entries, { role, permissions }).map(({ label }) => label());
  expect(names('viewer')).toEqual(['all']);
  expect(names('viewer', 'audit.read')).toEqual(['all', 'permitted']);
  expect(names('owner', 'audit.read')).toEqual(['all', 'permitted', 'role']);
});
