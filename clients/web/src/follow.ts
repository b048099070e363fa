/**
 * Keeps the flags of one context up to date: asks for them, then listens to the stream and asks again when it tells of a change. Whatever
 * fails or ends, it begins anew after a pause, so that one request precedes each stream and nothing is missed between two.
 */
import { eventReader } from './events.js';
import { isHidden, pause, watchPage } from './page.js';
import { asProblem, childOf, problemOf } from './requests.js';
import { Problem, type Timing } from './types.js';

/** What is done for a context. */
export interface Followed {
  timing: Timing;
  fetch: typeof fetch;
  /** Asks for the flags. Rejects with a problem, which it has reported. */
  refresh(signal: AbortSignal): Promise<void>;
  /** Where changes are told, by what was fetched last; `undefined`: nowhere. */
  stream(): [url: string, headers: Record<string, string>] | undefined;
  /** The version that was fetched last. */
  version(): string | null;
  report(problem: Problem): void;
  /** Changes are told, or asked for. */
  well(): void;
}

/** Ends at the end of `signal`. */
export async function follow(followed: Followed, signal: AbortSignal): Promise<void> {
  const { timing } = followed;
  const backOff = () => Math.min(timing.shortest * 2 ** (failures - 1), timing.longest);
  let reader = eventReader();
  let failures = 0;
  while (!signal.aborted) {
    let wait: number | undefined = timing.poll;
    let early = true;
    let isFailure = false;
    const begun = Date.now();
    try {
      await followed.refresh(signal);
      const stream = followed.stream();
      if (stream) {
        reader = eventReader(reader);
        const again = await listen(followed, stream, reader, signal);
        wait = again ? 0 : (reader.retry ?? timing.shortest);
        // One that is always cut at once is a failure too.
        isFailure = !again && Date.now() - begun < backOff();
      } else followed.well();
    } catch (thrown) {
      if (signal.aborted) return;
      const problem = asProblem(thrown);
      followed.report(problem);
      wait = problem.code === 'REFUSED' ? timing.refused : problem.wait;
      // Unless the service said when, or anything before is in vain.
      early = wait === undefined;
      isFailure = true;
    }
    if (!isFailure || Date.now() - begun > timing.longest) failures = 0;
    if (isFailure) failures += 1;
    const least = Math.max(wait ?? 0, isFailure ? backOff() / 2 : 0);
    await pause(least * (1 + Math.random() * (least === wait ? 0.25 : 1)), signal, early);
    // Nobody sees what a hidden page shows.
    while (isHidden() && !signal.aborted) await pause(Infinity, signal, true);
  }
}

/** Resolves when the stream has ended, to whether another should follow at once. Rejects with why it broke or was not opened. */
async function listen(
  followed: Followed,
  [url, headers]: [string, Record<string, string>],
  reader: ReturnType<typeof eventReader>,
  signal: AbortSignal,
): Promise<boolean> {
  const { timing } = followed;
  const own = childOf(signal);
  /** Why this side ends it, if that is no failure: the page is hidden, or there may be another way to the service. */
  const noFailure = {};
  let silence: ReturnType<typeof setTimeout> | undefined;
  const beat = (patience: number) => {
    clearTimeout(silence);
    const lost = () => own.abort(new Problem('UNREACHABLE', `the stream is silent for ${patience} ms`));
    silence = setTimeout(lost, patience);
  };
  let hiding: ReturnType<typeof setTimeout> | undefined;
  const hidden = () => {
    hiding = setTimeout(() => own.abort(noFailure), timing.hidden);
  };
  const shown = () => clearTimeout(hiding);
  const unwatch = watchPage({ hidden, shown, online: () => own.abort(noFailure) });
  if (isHidden()) hidden();
  const ask = asker(followed, own);
  try {
    beat(timing.request);
    const answer = await followed.fetch(url, {
      headers: reader.id ? { ...headers, 'Last-Event-ID': reader.id } : headers,
      cache: 'no-store',
      credentials: 'omit',
      signal: own.signal,
    });
    if (!answer.ok || !answer.body) {
      const { message, status, wait } = await problemOf(answer);
      // The flags were just answered: it is the stream that is refused.
      throw new Problem('UNAVAILABLE', `no stream: ${message}`, status, wait);
    }
    const pieces = answer.body.getReader();
    for (;;) {
      beat(timing.silence);
      const { done, value } = await pieces.read();
      if (done) return false;
      followed.well();
      for (const { name, id } of reader.read(value))
        if (name !== 'connected' || id !== followed.version()) ask();
    }
  } catch (thrown) {
    if (!own.signal.aborted) throw thrown;
    if (own.signal.reason === noFailure) return true;
    throw own.signal.reason;
  } finally {
    clearTimeout(silence);
    shown();
    unwatch();
    own.abort(noFailure);
  }
}

/** Asks for the flags when it is called; calls while that is under way are one more request after it. A failure ends `own`. */
function asker({ timing, refresh }: Followed, own: AbortController): () => void {
  let isAsked = false;
  let isBusy = false;
  let last = 0;
  return async () => {
    isAsked = true;
    if (isBusy) return;
    isBusy = true;
    while (isAsked && !own.signal.aborted) {
      // At random, since a change is told to all at the same time.
      await pause(Math.max(last + timing.gap - Date.now(), (Math.random() * timing.gap) / 10), own.signal);
      isAsked = false;
      last = Date.now();
      if (!own.signal.aborted) await refresh(own.signal).catch(problem => own.abort(problem));
    }
    isBusy = false;
  };
}
