/** Values that live outside of components, which follow them by `use`. */
import { useSyncExternalStore } from 'react';

export function createStore<T>(value: T) {
  const listeners = createListeners();
  const get = () => value;
  return {
    get,
    set(next: T) {
      value = next;
      listeners.notify();
    },
    use: () => useSyncExternalStore(listeners.subscribe, get),
  };
}

/**
 * A text that this browser keeps under `key`, for all its tabs or, by `session`, for this one while it is open; `null` where it keeps
 * none, or nothing at all.
 */
export function createStored(key: string, where: 'browser' | 'session' = 'browser') {
  // A browser may refuse to name its storage.
  const storage = () => (where === 'browser' ? localStorage : sessionStorage);
  const listeners = createListeners();
  const get = () => {
    try {
      return storage().getItem(key);
    } catch {
      return null;
    }
  };
  const subscribe = (listener: () => void) => {
    const stop = listeners.subscribe(listener);
    window.addEventListener('storage', listener);
    return () => {
      stop();
      window.removeEventListener('storage', listener);
    };
  };
  return {
    get,
    set(text: string | null) {
      try {
        if (text === null) storage().removeItem(key);
        else storage().setItem(key, text);
      } catch {
        // A browser that keeps nothing works all the same.
      }
      listeners.notify();
    },
    use: () => useSyncExternalStore(subscribe, get),
  };
}

function createListeners() {
  const listeners = new Set<() => void>();
  return {
    notify() {
      for (const listener of listeners) listener();
    },
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
