import { describe, expect, it } from 'vitest';
import { isBeforeSignIn, ownPath } from './returnPath';

describe('where a sign-in leads back to', () => {
  it.each(['/', '/settings/account', '/p/web/flags?q=a%20b&tag=x', '/p/web/flags#here'])(
    'may be %s',
    path => {
      expect(ownPath(path)).toBe(path);
    },
  );

  it.each([
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    'settings',
    '',
    '/\t/evil.example',
    '/a\n',
    '/.//evil.example',
    '/x/..//evil.example',
    undefined,
    null,
    7,
    ['/settings/account'],
  ])('is the start for %j', path => {
    expect(ownPath(path)).toBe('/');
  });

  it.each(['/login', '/login?next=/login', '/signup', '/x/../login', '/login/handoff', '/login/'])(
    'is never a page before sign-in: %s',
    path => {
      expect(ownPath(path)).toBe('/');
    },
  );

  it('knows the pages that need no session', () => {
    expect(isBeforeSignIn('/reset-password')).toBe(true);
    expect(isBeforeSignIn('/settings/account')).toBe(false);
  });
});
