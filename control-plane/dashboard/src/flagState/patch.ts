/** The part of a draft that is sent, and the permissions that it needs. */

import type { StateDraft } from '../api/model';
import type { components } from '../api/schema';
import { isSame } from './isSame';

export type StatePatch = components['schemas']['StatePatch'];

const SWITCHED: readonly (keyof StateDraft)[] = ['enabled', 'scheduled_enable_at', 'scheduled_disable_at'];

/** The fields that differ: what is not sent stays, and asks for no permission. */
export function patchOf(base: StateDraft, draft: StateDraft): StatePatch {
  const fields = Object.keys(draft) as (keyof StateDraft)[];
  return Object.fromEntries(
    fields.filter(field => !isSame(base[field], draft[field])).map(field => [field, draft[field]]),
  );
}

/** Which permissions a change needs: to switch, to edit rules, or both. */
export function needs(patch: StatePatch): { toggle: boolean; rules: boolean } {
  const fields = Object.keys(patch) as (keyof StateDraft)[];
  return {
    toggle: fields.some(field => SWITCHED.includes(field)),
    rules: fields.some(field => !SWITCHED.includes(field)),
  };
}
