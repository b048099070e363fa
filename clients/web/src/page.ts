/** What the page's life says: outside of a browser it is always shown and always online. */

const page = globalThis as Partial<Window & typeof globalThis>;

export const isHidden = () => page.document?.visibilityState === 'hidden';

/** Calls `shown` or `hidden` when the page becomes so, and `online` when the connection is back. */
export function watchPage(on: { shown?: () => void; hidden?: () => void; online?: () => void }): () => void {
  const seen = () => (isHidden() ? on.hidden?.() : on.shown?.());
  const online = () => on.online?.();
  page.document?.addEventListener('visibilitychange', seen);
  page.addEventListener?.('online', online);
  return () => {
    page.document?.removeEventListener('visibilitychange', seen);
    page.removeEventListener?.('online', online);
  };
}

/** Resolves after `ms`, or at the end of `signal`; with `early` as soon as the page is shown or online again. */
export function pause(ms: number, signal: AbortSignal, early = false): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      clearTimeout(timer);
      unwatch();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = ms < Infinity ? setTimeout(done, ms) : undefined;
    const unwatch = early ? watchPage({ shown: done, online: done }) : () => {};
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
