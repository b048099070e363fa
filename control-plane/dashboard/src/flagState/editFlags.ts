/** Requests that change many flags: at most a hundred at a time, with a result for each flag. */
import { api, outcome } from '../api/client';
import type { Refusal } from '../api/refusal';
import type { components } from '../api/schema';

export type Result = components['schemas']['FlagBulkResult'];
type Body = components['schemas']['FlagBulk'];

export type BulkAction = 'enable' | 'disable' | 'tag' | 'untag' | 'promote' | 'archive' | 'restore';

/** An edit without the flags. */
export type Edit = Omit<Body, 'keys' | 'action'> & { action: BulkAction };

const MOST_KEYS = 100;

/** Edits flags, a hundred at a time. A refusal of a whole request ends it: the results are those so far. */
export async function editFlags(
  projectID: string,
  keys: readonly string[],
  edit: Edit,
  onProgress?: (done: number) => void,
): Promise<{ results: Result[]; refusal: Refusal | null }> {
  const results: Result[] = [];
  for (let start = 0; start < keys.length; start += MOST_KEYS) {
    const answer = await outcome(
      api.POST('/v1/projects/{projectID}/bulk', {
        params: { path: { projectID } },
        body: { ...edit, keys: keys.slice(start, start + MOST_KEYS) },
      }),
    );
    if (!answer.ok) return { results, refusal: answer.refusal };
    results.push(...answer.data.results);
    onProgress?.(results.length);
  }
  return { results, refusal: null };
}

export function isMade({ status }: Result): boolean {
  return status < 300;
}
