/**
 * Where a sign-in leads back to. Only paths of our own are taken: anything that a browser could read as another
 * origin (`//host`, `/\host`, a scheme, a control character) leads to the start instead.
 */
export function ownPath(next: unknown): string {
  if (typeof next !== 'string' || !/^\/(?![/\\])/.test(next) || hasControl(next) || next.includes('\\')) {
    return '/';
  }
  const base = 'http://own.invalid';
  if (!URL.canParse(next, base)) return '/';
  const url = new URL(next, base);
  if (url.origin !== base || url.pathname.startsWith('//')) return '/';
  return isBeforeSignIn(url.pathname) ? '/' : url.pathname + url.search + url.hash;
}

const BEFORE_SIGN_IN = ['/login', '/login/handoff', '/signup', '/forgot-password', '/reset-password'];

/** Pages that need no session; a sign-in never leads to one. */
export function isBeforeSignIn(path: string): boolean {
  return BEFORE_SIGN_IN.includes(path.replace(/\/+$/, ''));
}

function hasControl(text: string): boolean {
  return [...text].some(character => character < ' ' || character === '\u007f');
}
