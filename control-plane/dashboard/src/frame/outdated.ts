/** An old tab asks for files of an old release, which are gone: that is when it learns that there is a newer one. */
let outdated = false;
const listeners = new Set<() => void>();

export function watchForRelease(): void {
  window.addEventListener('vite:preloadError', () => {
    outdated = true;
    for (const listener of listeners) listener();
  });
}

export function isOutdated(): boolean {
  return outdated;
}

export function onOutdated(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
