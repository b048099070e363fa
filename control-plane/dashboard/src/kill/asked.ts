/** Which kill is being asked for. Cells, pages and the palette ask; the frame shows the one dialog. */
import { useSyncExternalStore } from 'react';
import type { Environment } from '../api/model';

export interface Target {
  projectId: string;
  flagKey: string;
  environment: Pick<Environment, 'id' | 'name' | 'slug' | 'color'>;
}

let asked: Target | null = null;
const listeners = new Set<() => void>();

function set(next: Target | null): void {
  asked = next;
  for (const listener of listeners) listener();
}

/** Opens the dialog; nothing happens before it is confirmed there. */
export function askToKill(target: Target): void {
  set(target);
}

export function closeKill(): void {
  set(null);
}

export function useAskedKill(): Target | null {
  return useSyncExternalStore(
    listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => asked,
  );
}
