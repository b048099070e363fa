/** The contexts that were explained last, kept in this tab for the user who is signed in, until it is closed or they sign out. */
import { useCallback } from 'react';
import { CONTEXTS } from '../../../session/kept';
import { createStored } from '../../../ui/createStore';
import { type Context, readJson } from './context';

const stored = createStored(CONTEXTS, 'session');
export const MOST = 10;
/** A longer one is not kept. */
const LONGEST = 16_384;

interface Kept {
  user: string;
  contexts: readonly string[];
}

/** The contexts with one more in front; each is there once. */
export function added(contexts: readonly string[], context: string): readonly string[] {
  if (context.length > LONGEST) return contexts;
  return [context, ...contexts.filter(other => other !== context)].slice(0, MOST);
}

/** The contexts kept for a user; those of others who used this browser are not shown. */
export function keptFor(user: string, stored: string | null): readonly string[] {
  try {
    const kept: unknown = JSON.parse(stored ?? '');
    return isKept(kept) && kept.user === user ? kept.contexts.slice(0, MOST) : [];
  } catch {
    return [];
  }
}

function isKept(kept: unknown): kept is Kept {
  return (
    typeof kept === 'object' &&
    kept !== null &&
    'user' in kept &&
    'contexts' in kept &&
    Array.isArray(kept.contexts) &&
    kept.contexts.every(context => typeof context === 'string')
  );
}

function store(kept: Kept): void {
  stored.set(JSON.stringify(kept));
}

/** The newest of them, without following what becomes of it. */
export function newest(user: string): Context | null {
  const read = readJson(keptFor(user, stored.get())[0] ?? '');
  return read.ok ? read.context : null;
}

export function useRecent(user: string) {
  const text = stored.use();
  const contexts = keptFor(user, text).flatMap(kept => {
    const read = readJson(kept);
    return read.ok ? [read.context] : [];
  });
  const remember = useCallback(
    (context: Context) =>
      store({ user, contexts: added(keptFor(user, stored.get()), JSON.stringify(context)) }),
    [user],
  );
  const clear = useCallback(() => stored.set(null), []);
  return { contexts, remember, clear };
}
