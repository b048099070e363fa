/** Short messages about what was done. Their widget is loaded with the first one. */
import { createStore } from './createStore';
import type { Said } from './Toast';

const isUsed = createStore(false);

async function show(said: Said): Promise<void> {
  isUsed.set(true);
  const { add } = await import('./Toast');
  add(said);
}

/** Loads the widget ahead: the message about a failure has to be there when nothing can be loaded any more. */
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
export const useSaid = isUsed.use;
