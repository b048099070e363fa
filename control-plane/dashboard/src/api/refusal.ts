/** Why the service did not do what it was asked for, as a value that pages decide upon. */
export type Refusal =
  /** The input breaks a rule. `field` is the one that the sentence begins with. */
  | { kind: 'invalid'; message: string; field: string | null }
  /** Wrong credentials, or no session. */
  | { kind: 'unauthenticated'; message: string }
  /** The plan does not have it. */
  | { kind: 'plan'; message: string }
  | { kind: 'forbidden'; message: string }
  | { kind: 'absent'; message: string }
  | { kind: 'conflict'; message: string }
  /** Another person changed it meanwhile; `etag` is the stored version. */
  | { kind: 'changed'; message: string; etag: string | null }
  /** Too many requests or attempts; `seconds` until the next may succeed. */
  | { kind: 'wait'; message: string; seconds: number | null }
  /** The service failed or is overloaded. */
  | {
      kind: 'fault';
      status: number;
      requestId: string | null;
      seconds: number | null;
      /** The service's sentence, where there is one: it is about another service that failed. */
      message?: string;
    }
  /** No answer at all. */
  | { kind: 'offline' };

/** A refusal on its way through code that throws, as TanStack Query's. */
export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.kind);
    this.refusal = refusal;
  }
}

/**
 * Reads a refusal from a status, its headers and its body, which is `{error}` but may be anything from a proxy. Where `error` is a
 * code, as `approval_required`, the sentence is in `message`.
 */
export function readRefusal(status: number, headers: Headers, body: unknown): Refusal {
  const message = errorOf(body);
  if (status >= 500 || message === null) {
    const fault = { status, requestId: headers.get('x-request-id'), seconds: secondsOf(headers) };
    return { kind: 'fault', ...fault, ...(message === null ? {} : { message }) };
  }
  switch (status) {
    case 401:
      return { kind: 'unauthenticated', message };
    case 402:
      return { kind: 'plan', message };
    case 403:
      return { kind: 'forbidden', message };
    case 404:
      return { kind: 'absent', message };
    case 409:
      return { kind: 'conflict', message };
    case 412:
      return { kind: 'changed', message, etag: headers.get('etag') };
    case 429:
      return { kind: 'wait', message, seconds: secondsOf(headers) };
    default:
      return { kind: 'invalid', message, field: fieldOf(message) };
  }
}

function errorOf(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('error' in body)) return null;
  if (typeof body.error !== 'string' || body.error === '') return null;
  const isExplained = /^[a-z_]+$/.test(body.error) && 'message' in body && typeof body.message === 'string';
  return isExplained ? [String(body.message), ...grantsOf(body)].join('. ') : body.error;
}

/** Why no grant of this person allows it. */
function grantsOf(body: object): string[] {
  if (!('grants' in body) || !Array.isArray(body.grants)) return [];
  return body.grants.map(({ name, message }) => `${String(name)}: ${String(message)}`);
}

/** Sentences about a field begin with its name: `new_password must have …`, `email is required`. */
function fieldOf(message: string): string | null {
  return /^([a-z][a-z0-9_]*)(?=[:.[]| (?:is|are|must|may|has|needs) )/.exec(message)?.[1] ?? null;
}

/** `Retry-After` in seconds; a date is not sent by the service, and is read as absent. */
function secondsOf(headers: Headers): number | null {
  const text = headers.get('retry-after');
  if (text === null || !/^\d{1,6}$/.test(text)) return null;
  return Number(text);
}
