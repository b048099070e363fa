import type { BrowserContext } from '@playwright/test';
import type { Person } from './organization';
import { place } from './places';

export const COOKIE = '__Host-halyard';

/** Gives the browser the session that a sign-in would have given it. */
export async function enter(context: BrowserContext, person: Person, origin = place.api): Promise<void> {
  // A sign-in of its own: what it gave for the API ends with the exchange.
  const { refreshToken } = await person.again();
  const response = await fetch(`${origin}/v1/auth/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ refresh_token: refreshToken }),
  });
  const value = new RegExp(`^${COOKIE}=([^;]+)`).exec(response.headers.get('set-cookie') ?? '')?.[1];
  if (value === undefined) throw new Error(`no session: ${response.status} ${await response.text()}`);
  // The browser takes a secure cookie from an origin of this machine without TLS, its remote control does not.
  const url = origin.replace('http:', 'https:');
  await context.addCookies([{ name: COOKIE, value, url, httpOnly: true, secure: true, sameSite: 'Strict' }]);
}
