/**
 * The stream of `/v1/events`: one tab reads it and hands the events to the others. It is read with `fetch`, since
 * `EventSource` sends no token. Which tab reads is settled by a lock that the browser gives to the next when a tab
 * closes.
 */

import { forget, renew, token } from '../session/session';
import { EventStreamParser } from './eventStream';
import { Refused } from './refusal';

/** The events that the pages act upon, by name; the data of others is not read. */
export interface LiveEvent {
  event: string;
  data: unknown;
}

export interface Change {
  action: string;
  resource_type: string;
  resource_id: string;
  project_id: string | null;
  env_id: string | null;
  actor_id: string | null;
  version: number | null;
  at: string;
}

/** How far a version of an environment has come, as edges confirm it. Owners and admins receive it. */
export interface WaveEvent {
  env_id: string;
  version: number;
  committed_at: string;
  acknowledged: { edge: string; after_ms: number }[];
  lagging: string[];
}

/** How much is evaluated now, and what was asked for as the very first. */
export interface UsageEvent {
  window: { evaluations_per_minute: number };
  first_evaluation?: { flag_key: string; env_id: string; at: string };
}

type Shared = { kind: 'status'; isLive: boolean } | { kind: 'event'; event: LiveEvent } | { kind: 'asked' };

interface Follower {
  onEvent: (event: LiveEvent) => void;
  onStatus: (isLive: boolean) => void;
}

const LOCK = 'halyard-events';
const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 10_000;
/** The service sends a heartbeat; a stream that is silent for longer is dead. */
const SILENCE_MS = 60_000;

/** Follows the events until `signal` aborts. */
export function follow(follower: Follower, signal: AbortSignal): void {
  const channel = new BroadcastChannel('halyard-events');
  let isLive = false;
  let isLeader = false;

  const status = (next: boolean) => {
    isLive = next;
    follower.onStatus(next);
    channel.postMessage({ kind: 'status', isLive: next } satisfies Shared);
  };
  const event = (next: LiveEvent) => {
    follower.onEvent(next);
    channel.postMessage({ kind: 'event', event: next } satisfies Shared);
  };
  channel.addEventListener('message', ({ data }: MessageEvent<Shared>) => {
    if (data.kind === 'event') follower.onEvent(data.event);
    if (data.kind === 'status') follower.onStatus(data.isLive);
    if (data.kind === 'asked' && isLeader) channel.postMessage({ kind: 'status', isLive } satisfies Shared);
  });
  signal.addEventListener('abort', () => channel.close());
  channel.postMessage({ kind: 'asked' } satisfies Shared);

  const lead = () => {
    isLeader = true;
    return read(status, event, signal);
  };
  if (!navigator.locks) void lead();
  else navigator.locks.request(LOCK, { signal }, lead).catch(() => {});
}

async function read(
  status: (isLive: boolean) => void,
  event: (event: LiveEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  let position: string | null = null;
  let delay = FIRST_RETRY_MS;
  while (!signal.aborted) {
    await readOnce(
      position,
      signal,
      () => {
        delay = FIRST_RETRY_MS;
        status(true);
      },
      (next, id) => {
        position = id ?? position;
        event(next);
      },
    ).catch(() => {});
    if (signal.aborted) return;
    status(false);
    await pause(delay, signal);
    delay = Math.min(delay * 2, LAST_RETRY_MS);
  }
}

async function readOnce(
  position: string | null,
  signal: AbortSignal,
  onOpen: () => void,
  onEvent: (event: LiveEvent, id: string | null) => void,
): Promise<void> {
  const accessToken = await token();
  if (accessToken === null) {
    forget();
    return;
  }
  const silence = new AbortController();
  const response = await fetch('/v1/events', {
    signal: AbortSignal.any([signal, silence.signal]),
    headers: {
      accept: 'text/event-stream',
      authorization: `Bearer ${accessToken}`,
      ...(position === null ? {} : { 'last-event-id': position }),
    },
  });
  // The session may have been ended elsewhere: the token looks fresh then, and only a renewal shows it.
  if (response.status === 401 && (await renew(accessToken)) === null) forget();
  if (!response.ok || response.body === null) throw new Refused({ kind: 'offline' });
  onOpen();

  const parser = new EventStreamParser();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      for (const { event, data, id } of parser.push(value)) onEvent({ event, data: parsed(data) }, id);
    }
  } finally {
    clearTimeout(timer);
  }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return null;
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
