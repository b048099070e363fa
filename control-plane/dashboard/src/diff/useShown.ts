import { useState } from 'react';

/** Holds what a dialog shows while something newer is stored, so that nobody confirms what they have not read. */
export function useShown<T extends { etag: string }>(stored: T) {
  const [shown, setShown] = useState(stored);
  return { shown, isBehind: stored.etag !== shown.etag, catchUp: () => setShown(stored) };
}
