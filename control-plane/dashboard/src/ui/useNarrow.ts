import { useSyncExternalStore } from 'react';

/** Below it tables become cards; the same width as in the style sheets. */
const NARROW = '(width < 40rem)';

export function useNarrow(): boolean {
  return useSyncExternalStore(
    listener => {
      const media = matchMedia(NARROW);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    () => matchMedia(NARROW).matches,
  );
}
