import { expect, it } from 'vitest';
import { holderOf } from './holder';

const token = (claims: unknown) =>
  `h.${btoa(JSON.stringify(claims)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}.s`;

it('is the user for one organization', () => {
  expect(holderOf(token({ sub: 'ada', org_id: 'acme', role: 'owner' }))).toBe('ada acme');
  expect(holderOf(token({ sub: 'ada', org_id: 'beta', name: '???>>>' }))).toBe('ada beta');
});

it.each([token({ sub: 'ada' }), token(null), 'a.b.c', '', 'a'])('is nobody for %j', text => {
  expect(holderOf(text)).toBeNull();
});
