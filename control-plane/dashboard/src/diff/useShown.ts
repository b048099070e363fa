import { useState } from 'react';

/** Keeps the version that a dialog shows while a newer one is stored, so that no unread change is confirmed. */
export function useShown<T extends { etag: string }>(stored: T) {
  const [shown, setShown] = useState(stored);
  return { shown, isBehind: stored.etag !== shown.etag, catchUp: () => setShown(stored) };
}
