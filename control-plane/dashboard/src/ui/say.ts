/** Short messages about what was done. Their widget is loaded with the first one. */
import { useSyncExternalStore } from 'react';
import type { Said } from './Toast';

let isUsed = false;
const listeners = new Set<() => void>();

async function show(said: Said): Promise<void> {
  isUsed = true;
  for (const listener of listeners) listener();
  const { add } = await import('./Toast');
  add(said);
}

/** Loads the widget ahead: what tells of a failure has to be there when nothing can be loaded any more. */
export function prepareToSay(): void {
  void import('./Toast').catch(() => {});
}

/** Says that something worked. */
export function say(text: string): void {
  void show({ text, isBad: false });
}

/** Says that something failed. */
export function warn(text: string): void {
  void show({ text, isBad: true });
}

/** Whether anything was said on this page yet. */
export function useSaid(): boolean {
  return useSyncExternalStore(
    listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isUsed,
  );
}
