/** Short messages about what was done. Their widget is loaded with the first one. */
import { createStore } from './createStore';
import type { Said, SaidAction } from './Toast';

const isUsed = createStore(false);

async function show(said: Said): Promise<void> {
  try {
    const { add } = await import('./Toast');
    isUsed.set(true);
    add(said);
  } catch {
    // It is fetched ahead; a tab that is older than the release goes on without messages.
  }
}

/** Says that something worked; `action` may undo it. */
export function say(text: string, action?: SaidAction): void {
  void show({ text, isBad: false, ...(action === undefined ? {} : { action }) });
}

/** Says that something failed. */
export function warn(text: string): void {
  void show({ text, isBad: true });
}

/** Whether anything was said on this page yet. */
export const useSaid = isUsed.use;
