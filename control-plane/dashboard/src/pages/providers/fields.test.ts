import { expect, it } from 'vitest';
import { bodyOf, edited, fieldOf, type Mapping, patchOf, rowName } from './fields';
import type { Provider } from './queries';

const STORED: Provider = {
  id: '1',
  name: 'Okta',
  issuer: 'https://acme.okta.com',
  client_id: 'halyard',
  has_secret: true,
  provisions_members: true,
  default_role: 'viewer',
  role_claim: 'groups',
  role_mappings: [{ value: 'leads', role: 'admin' }],
  created_at: '2026-01-02T15:04:05Z',
  updated_at: '2026-01-02T15:04:05Z',
};

it('a new provider keeps roles here and makes nobody a member unless that is chosen', () => {
  const fields = { ...edited(null), name: ' Okta ', issuer: 'https://acme.okta.com ', clientId: 'halyard' };
  expect(bodyOf(fields)).toEqual({
    name: 'Okta',
    issuer: 'https://acme.okta.com',
    client_id: 'halyard',
    client_secret: null,
    provisions_members: false,
    default_role: 'developer',
    role_claim: null,
    role_mappings: [],
  });
});

it('only what is another than stored is sent', () => {
  expect(patchOf(STORED, edited(STORED))).toEqual({});
  expect(patchOf(STORED, { ...edited(STORED), name: 'Login', claim: ' ' })).toEqual({
    name: 'Login',
    role_claim: null,
  });
  const other: Mapping = { id: 7, value: 'staff', role: 'viewer' };
  const more = { ...edited(STORED), mappings: [...edited(STORED).mappings, other] };
  expect(patchOf(STORED, more)).toEqual({
    role_mappings: [
      { value: 'leads', role: 'admin' },
      { value: 'staff', role: 'viewer' },
    ],
  });
});

it('a stored secret stays until another is typed or it is given up', () => {
  expect(patchOf(STORED, { ...edited(STORED), secret: 's3cret' })).toEqual({ client_secret: 's3cret' });
  expect(patchOf(STORED, { ...edited(STORED), forgetsSecret: true })).toEqual({ client_secret: null });
});

it('a refusal of the mappings is shown at the row that it is about', () => {
  const rows = (...values: string[]): Mapping[] =>
    values.map((value, id) => ({ id: id + 4, value, role: 'viewer' }));
  const refused = (field: string) => ({ kind: 'invalid', message: 'words', field }) as const;
  const mappings = refused('role_mappings');
  expect(fieldOf(mappings, rows('a', ' ', 'b'))).toBe(rowName(5));
  expect(fieldOf(mappings, rows('a', 'b', 'a'))).toBe(rowName(6));
  expect(fieldOf(mappings, rows('a', 'x'.repeat(256)))).toBe(rowName(5));
  expect(fieldOf(mappings, rows('a', 'b'))).toBeNull();
  expect(fieldOf(refused('issuer'), rows('a', 'a'))).toBeNull();
});
