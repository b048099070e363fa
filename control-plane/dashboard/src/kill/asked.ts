/** Which kill is being asked for. Cells, pages and the palette ask; the frame shows the one dialog. */
import type { Environment } from '../api/model';
import { createStore } from '../ui/createStore';

export interface Target {
  projectId: string;
  flagKey: string;
  environment: Pick<Environment, 'id' | 'name' | 'slug' | 'color'>;
}

const asked = createStore<Target | null>(null);

/** Opens the dialog; nothing happens before it is confirmed there. */
export function askToKill(target: Target): void {
  asked.set(target);
}

export function closeKill(): void {
  asked.set(null);
}

export const useAskedKill = asked.use;
