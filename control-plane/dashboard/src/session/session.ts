/**
 * The session of this browser. The refresh token is in an `HttpOnly` cookie; the access token lives in memory and
 * is handed to other tabs. Tabs refresh one at a time, under a lock that the browser holds.
 */
import { type Refusal, Refused, readRefusal } from '../api/refusal';
import type { components } from '../api/schema';
import { holderOf } from './holder';
import { forgetKept } from './kept';

/** The access token of the page; the refresh token is in a cookie that scripts cannot read. */
type Access = components['schemas']['PageToken'];

type Message =
  | { kind: 'asked' }
  | { kind: 'access'; access: Access }
  | { kind: 'switched'; access: Access }
  | { kind: 'ended'; isDeliberate: boolean };

/** Called when the session ends, or changes in another tab. */
export interface Listener {
  /** By a sign-out, or by itself: it expired, or was ended from elsewhere. */
  ended: (isDeliberate: boolean) => void;
  /** Another user or another organization. */
  switched: () => void;
  /** The same user signed in again, for the same organization. */
  resumed: () => void;
}

/** An access token is renewed this many seconds before it ends. */
const MARGIN = 20;
/** How long a new tab waits for another to hand over its token. */
const ANSWER_MS = 120;
const LOCK = 'halyard-refresh';

let access: Access | null = null;
/** Whom the last token was for: what a page shows is theirs. */
let holder: string | null = null;
/** The service said no; only a sign-in begins anew. */
let isOver = false;
let renewing: Promise<Access | null> | null = null;
let listener: Listener = { ended: () => {}, switched: () => {}, resumed: () => {} };
const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('halyard-session');

channel?.addEventListener('message', (event: MessageEvent<Message>) => {
  const message = event.data;
  switch (message.kind) {
    case 'asked':
      if (access !== null && isFresh(access)) post({ kind: 'access', access });
      return;
    case 'access':
      if (isOver) follow(message.access);
      else hold(message.access);
      return;
    case 'switched':
      follow(message.access);
      return;
    case 'ended':
      drop(message.isDeliberate);
  }
});

export function listen(to: Listener): void {
  listener = to;
}

/** The token for a request, renewed if it is about to end. `null` without a session. */
export async function token(): Promise<string | null> {
  if (isOver) return null;
  const held = access;
  if (held !== null && isFresh(held)) return held.access_token;
  const fresh = await renew(held?.access_token ?? null);
  return fresh?.access_token ?? null;
}

/**
 * Renews the token unless another tab has done so since `refused` was used. A fault of the service or the network
 * is thrown: only the service's own "no" ends a session.
 */
export function renew(refused: string | null): Promise<Access | null> {
  renewing ??= locked(() => renewAlone(refused)).finally(() => {
    renewing = null;
  });
  return renewing;
}

async function renewAlone(refused: string | null): Promise<Access | null> {
  if (access === null) await askOtherTabs();
  const held = access;
  if (held !== null && isFresh(held) && held.access_token !== refused) return held;
  const answer = await request('POST', '/v1/auth/session/refresh');
  if ('refusal' in answer) {
    if (answer.refusal.kind !== 'unauthenticated') throw new Refused(answer.refusal);
    access = null;
    return null;
  }
  post({ kind: 'access', access: answer.access });
  return hold(answer.access);
}

/**
 * Exchanges the refresh token of a sign-in for the cookie. The given token is spent by it. Another user may be signed
 * in now, whose other tabs start over. With `orgId`, the user of the page goes on in that organization.
 */
export async function begin(refreshToken: string, orgId?: string): Promise<Refusal | null> {
  const answer = await request('POST', '/v1/auth/session', { refresh_token: refreshToken });
  if ('refusal' in answer) return answer.refusal;
  const entered = orgId === undefined ? answer.access : await returned(answer.access, orgId);
  post({ kind: 'switched', access: entered });
  follow(entered);
  return null;
}

/** The token of the same user for the organization that they were in; a sign-in may lead to another of theirs. */
async function returned(given: Access, orgId: string): Promise<Access> {
  const [user] = holderOf(given.access_token)?.split(' ') ?? [];
  if (holder !== `${user} ${orgId}` || holder === holderOf(given.access_token)) return given;
  const answer = await locked(() => request('POST', '/v1/auth/session/refresh', { org_id: orgId }));
  return 'refusal' in answer ? given : answer.access;
}

/** Acts for another organization from now on, in all tabs. */
export async function switchOrganization(orgId: string): Promise<Refusal | null> {
  const answer = await locked(() => request('POST', '/v1/auth/session/refresh', { org_id: orgId }));
  if ('refusal' in answer) return answer.refusal;
  post({ kind: 'switched', access: answer.access });
  hold(answer.access);
  return null;
}

/** Signs out in all tabs. When the service cannot be reached the session stays, and the refusal says why. */
export async function end(): Promise<Refusal | null> {
  const answer = await request('DELETE', '/v1/auth/session');
  if ('refusal' in answer && answer.refusal.kind !== 'unauthenticated') return answer.refusal;
  post({ kind: 'ended', isDeliberate: true });
  drop(true);
  return null;
}

/** Drops the token here and in the other tabs, when the service has ended the session already. */
export function forget(): void {
  if (isOver) return;
  post({ kind: 'ended', isDeliberate: false });
  drop(false);
}

function drop(isDeliberate: boolean): void {
  access = null;
  isOver = true;
  if (isDeliberate) {
    holder = null;
    forgetKept();
  }
  listener.ended(isDeliberate);
}

function hold(fresh: Access): Access {
  access = fresh;
  holder = holderOf(fresh.access_token);
  isOver = false;
  return fresh;
}

/** Goes on with the token of a sign-in, here or in another tab. */
function follow(fresh: Access): void {
  const before = holder;
  hold(fresh);
  if (before !== null && before === holder) listener.resumed();
  else listener.switched();
}

function post(message: Message): void {
  channel?.postMessage(message);
}

function isFresh(candidate: Access): boolean {
  return candidate.expires_at - MARGIN > Date.now() / 1000;
}

/** Locks exist on secure origins only; elsewhere the cookie cannot be set either, and there is nothing to order. */
function locked<T>(work: () => Promise<T>): Promise<T> {
  if (!navigator.locks) return work();
  return navigator.locks.request(LOCK, work) as Promise<T>;
}

async function askOtherTabs(): Promise<void> {
  if (channel === null) return;
  post({ kind: 'asked' });
  await new Promise<void>(resolve => {
    const done = () => {
      channel.removeEventListener('message', done);
      resolve();
    };
    channel.addEventListener('message', done);
    setTimeout(done, ANSWER_MS);
  });
}

async function request(
  method: 'POST' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<{ access: Access } | { refusal: Refusal }> {
  try {
    const response = await fetch(path, {
      method,
      credentials: 'same-origin',
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer: unknown = response.status === 204 ? {} : await response.json().catch(() => null);
    if (!response.ok) return { refusal: readRefusal(response.status, response.headers, answer) };
    return { access: answer as Access };
  } catch {
    return { refusal: { kind: 'offline' } };
  }
}
