/** The only place that talks HTTP: a client typed by the API document, which adds the token and renews it once. */
import { forget, renew, token } from '../session/session';
import { clientOf } from './http';
import { type Refusal, Refused, readRefusal } from './refusal';

const ENDED = 'invalid or expired token';

/** Calls without a session: sign-up, sign-in, reset. */
export const open = clientOf(request => fetch(request));

/** Calls with the access token of the session. */
export const api = clientOf(authorized);

async function authorized(request: Request): Promise<Response> {
  const first = await token();
  if (first === null) return ended();
  const again = request.clone();
  const response = await fetch(signed(request, first));
  if (response.status !== 401 || !(await isEnded(response))) return response;
  const fresh = await renew(first);
  if (fresh === null) return ended();
  return fetch(signed(again, fresh.access_token));
}

function signed(request: Request, accessToken: string): Request {
  request.headers.set('authorization', `Bearer ${accessToken}`);
  return request;
}

/** Other refusals with 401, as of a wrong password, are the caller's: a repetition would count as another guess. */
async function isEnded(response: Response): Promise<boolean> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return typeof body === 'object' && body !== null && 'error' in body && body.error === ENDED;
}

function ended(): Response {
  forget();
  return Response.json({ error: ENDED }, { status: 401 });
}

export type Outcome<T> = { ok: true; data: T; response: Response } | { ok: false; refusal: Refusal };

type Call<T> = Promise<{ data?: T; error?: unknown; response: Response }>;

/** A call's outcome as a value. */
export async function outcome<T>(call: Call<T>): Promise<Outcome<T>> {
  try {
    const { data, error, response } = await call;
    if (response.ok) return { ok: true, data: data as T, response };
    return { ok: false, refusal: readRefusal(response.status, response.headers, error) };
  } catch (problem) {
    if (problem instanceof Refused) return { ok: false, refusal: problem.refusal };
    return { ok: false, refusal: { kind: 'offline' } };
  }
}

/** A call's data; a refusal is thrown, as queries want it. */
export async function demand<T>(call: Call<T>): Promise<T> {
  const result = await outcome(call);
  if (!result.ok) throw new Refused(result.refusal);
  return result.data;
}

/** A call's data with its version; a refusal is thrown. */
export async function tagged<T>(call: Call<T>): Promise<{ data: T; etag: string }> {
  const result = await outcome(call);
  if (!result.ok) throw new Refused(result.refusal);
  return { data: result.data, etag: result.response.headers.get('etag') ?? '' };
}
