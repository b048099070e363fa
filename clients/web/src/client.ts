import { type Answer, detailOf, type Flags, merged } from './flags.js';
import { follow } from './follow.js';
import { keyOf, pathsOf } from './paths.js';
import { asProblem, childOf, problemOf } from './requests.js';
import { hash, openStore } from './store.js';
import {
  type Client,
  type Context,
  type Events,
  type Options,
  Problem,
  type Status,
  type Timing,
} from './types.js';

const TIMING: Timing = {
  request: 10_000,
  silence: 60_000,
  shortest: 1_000,
  longest: 60_000,
  gap: 500,
  poll: 60_000,
  refused: 300_000,
  hidden: 30_000,
};

/** What was answered for one context. */
interface Held extends Answer {
  identity: string;
  tag: string | null;
  version: string | null;
}

/** Begins at once to load and to follow the flags of `options.context`. */
export function createClient(options: Options): Client {
  const timing = { ...TIMING, ...options.timing };
  const url = options.url.replace(/\/+$/, '');
  const paths = pathsOf(options, url);
  const ask: typeof fetch = options.fetch ?? ((...request) => globalThis.fetch(...request));
  const listeners = { change: new Set(), status: new Set(), error: new Set() } as {
    [E in keyof Events]: Set<(told: Events[E]) => void>;
  };
  let status: Status = 'pending';
  let held: Held | undefined;
  let context: Context;
  let identity: string;
  let run: AbortController | undefined;
  /** Those who wait for what is held for the present context; `undefined` once that is settled. */
  let waiting: ((status: Status) => void)[] | undefined;
  /** Before then nothing is tracked. */
  let quietUntil = 0;
  const told = new Set<string>();

  /** Later, so that listeners find everything settled, and whoever has just made the client is told too. */
  function emit<E extends keyof Events>(event: E, what: Events[E]) {
    queueMicrotask(() => {
      for (const listener of [...listeners[event]]) {
        try {
          listener(what);
        } catch (thrown) {
          // The listener's own fault, to be seen like any other.
          globalThis.reportError?.(thrown);
        }
      }
    });
  }

  function report(problem: Problem) {
    if (told.has(problem.code)) return;
    told.add(problem.code);
    emit('error', problem);
  }

  const store = openStore(options.storage, `halyard:${hash(`${paths.flags} ${options.key}`, 0)}`, problem =>
    emit('error', problem),
  );

  function become(next: Status) {
    if (status === next || status === 'closed') return;
    status = next;
    emit('status', next);
  }

  function hold(next: Held | undefined) {
    const none: Flags = new Map();
    const [flags, changed] = merged(held?.flags ?? none, next?.flags ?? none);
    held = next && { ...next, flags };
    if (changed.length > 0) emit('change', changed);
  }

  /** Whoever waits need not any longer: what is of another context is not served from here on. */
  function settle(next: Status) {
    if (held?.identity !== identity) hold(undefined);
    become(next);
    const waiters = waiting ?? [];
    waiting = undefined;
    for (const resolve of waiters) resolve(status);
  }

  function stored(): Held | undefined {
    const text = store.load(identity);
    if (text === undefined) return undefined;
    try {
      const [tag, version, answer] = JSON.parse(text);
      return { ...paths.read(answer), tag, version, identity };
    } catch {
      return undefined;
    }
  }

  async function load(body: string, signal: AbortSignal) {
    const known = held?.identity === identity ? held : undefined;
    const answer = await ask(paths.flags, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-API-Key': options.key,
        ...(known?.tag && { 'If-None-Match': known.tag }),
      },
      body,
      cache: 'no-store',
      credentials: 'omit',
      signal,
    });
    const version = answer.headers.get('x-snapshot-version');
    if (answer.status === 304 && known) {
      known.version = version;
      return;
    }
    if (!answer.ok) throw await problemOf(answer);
    const text = await answer.text();
    signal.throwIfAborted();
    const tag = answer.headers.get('etag');
    try {
      hold({ ...paths.read(text), tag, version, identity });
    } catch (thrown) {
      throw new Problem('DAMAGED_ANSWER', `the answer cannot be read: ${thrown}`, answer.status);
    }
    store.save(identity, JSON.stringify([tag, version, text]));
  }

  async function refresh(body: string, signal: AbortSignal) {
    const own = childOf(signal);
    const late = () => own.abort(new Problem('UNREACHABLE', `no answer within ${timing.request} ms`));
    const timer = setTimeout(late, timing.request);
    try {
      await load(body, own.signal);
      if (!signal.aborted) settle('current');
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      const problem = asProblem(own.signal.aborted ? own.signal.reason : thrown);
      quiet(problem);
      report(problem);
      settle(problem.code === 'REFUSED' ? 'refused' : 'stale');
      throw problem;
    } finally {
      clearTimeout(timer);
      own.abort();
    }
  }

  function quiet({ wait = 0 }: Problem) {
    quietUntil = Math.max(quietUntil, Date.now() + wait);
  }

  function begin(next: Context) {
    run?.abort();
    run = new AbortController();
    const { signal } = run;
    context = next;
    const body = paths.body(next);
    identity = `${paths.flags} ${options.key} ${body}`;
    waiting ??= [];
    told.clear();
    const found = held?.identity === identity ? undefined : stored();
    if (found) {
      hold(found);
      settle('stored');
    } else if (held?.identity === identity) {
      // The same context again.
      settle(status);
    } else {
      become('pending');
      const timer = setTimeout(() => !signal.aborted && settle(status), options.timeout ?? 3_000);
      waiting.push(() => clearTimeout(timer));
    }
    const followed = {
      timing,
      fetch: ask,
      refresh: (inner: AbortSignal) => refresh(body, inner),
      stream: () => (options.stream === false ? undefined : held && paths.stream(held)),
      version: () => held?.version ?? null,
      report,
      well: () => told.clear(),
    };
    void follow(followed, signal);
  }

  const settled = () => new Promise<Status>(resolve => (waiting ? waiting.push(resolve) : resolve(status)));

  const detail = (key: string, fallback: unknown, type: string = typeof fallback) =>
    detailOf(held?.flags, key, fallback, type);

  const client = {
    get status() {
      return status;
    },
    ready: settled,
    boolean: (key: string, fallback: boolean) => detail(key, fallback, 'boolean').value,
    string: (key: string, fallback: string) => detail(key, fallback, 'string').value,
    number: (key: string, fallback: number) => detail(key, fallback, 'number').value,
    json: (key: string, fallback: unknown) => detail(key, fallback, 'object').value,
    detail: (key: string, fallback: unknown) => detail(key, fallback),
    all: () =>
      Object.fromEntries(
        [...(held?.flags ?? [])].flatMap(([key, { value, error }]) => (error ? [] : [[key, value]])),
      ),
    on<E extends keyof Events>(event: E, listener: (told: Events[E]) => void) {
      // In a function of its own: who listens twice with one function is told twice, and stops each.
      const own = (what: Events[E]) => listener(what);
      listeners[event].add(own);
      return () => void listeners[event].delete(own);
    },
    identify(next: Context) {
      if (status !== 'closed') begin(next);
      return settled();
    },
    async track(key: string, variant = held?.flags.get(key)?.variant) {
      if (status === 'closed' || status === 'refused' || Date.now() < quietUntil) return false;
      try {
        const answer = await ask(`${url}/v1/track`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'X-API-Key': options.key },
          body: JSON.stringify({ flag_key: key, variant_key: variant, user_key: keyOf(context) }),
          // It may be the last thing that a page does.
          keepalive: true,
          credentials: 'omit',
        });
        if (answer.ok) return true;
        throw await problemOf(answer);
      } catch (thrown) {
        const problem = asProblem(thrown);
        quiet(problem);
        report(problem);
        return false;
      }
    },
    close() {
      run?.abort();
      settle('closed');
    },
  };
  begin(options.context ?? {});
  return client as Client;
}
