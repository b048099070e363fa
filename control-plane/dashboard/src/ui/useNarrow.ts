import { useSyncExternalStore } from 'react';

/** Below it tables become cards; the same width as in the style sheets. */
const NARROW = '(width < 40rem)';
/** Below it there is no room for the navigation beside the page. */
const COMPACT = '(width < 56.25rem)';

export const useNarrow = () => useMedia(NARROW);
export const useCompact = () => useMedia(COMPACT);

function useMedia(query: string): boolean {
  return useSyncExternalStore(
    listener => {
      const media = matchMedia(query);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    () => matchMedia(query).matches,
  );
}
