/** An old tab asks for files of an old release, which are gone: that is when it learns that there is a newer one. */
import { createStore } from '../ui/createStore';

const outdated = createStore(false);

export function watchForRelease(): void {
  window.addEventListener('vite:preloadError', () => {
    void isGone(import.meta.url).then(isGone => {
      if (isGone) outdated.set(true);
    });
  });
}

/** Whether the service has a file of this page no longer. Without an answer nothing is known of releases. */
export async function isGone(file: string): Promise<boolean> {
  try {
    const answer = await fetch(file, { method: 'HEAD', cache: 'no-store' });
    return answer.status === 404;
  } catch {
    return false;
  }
}

/** Whether an error is that a part of the page did not arrive, in the words of Chromium, Firefox, Safari and Vite. */
export function isUnloaded(error: unknown): boolean {
  return (
    error instanceof Error &&
    /dynamically imported module|importing a module script failed|unable to preload/i.test(error.message)
  );
}

export const useOutdated = outdated.use;
