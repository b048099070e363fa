/**
 * What this browser keeps of a session beside its token: the project that was open, contexts and saved filters. A sign-out leaves nothing of it to the
 * next person at this machine; the theme and the like are the browser's and stay.
 */
export const LAST_PROJECT = 'halyard.project';
export const CONTEXTS = 'halyard.contexts';
export const SAVED_FILTERS = 'halyard.saved-filters';

export function forgetKept(): void {
  for (const key of [LAST_PROJECT, CONTEXTS, SAVED_FILTERS]) {
    try {
      sessionStorage.removeItem(key);
      localStorage.removeItem(key);
    } catch {
      // A browser that keeps nothing has nothing to forget.
    }
  }
}

/** Whether this tab had a session before. */
export function hadSession(): boolean {
  try {
    return sessionStorage.getItem(LAST_PROJECT) !== null;
  } catch {
    return false;
  }
}
