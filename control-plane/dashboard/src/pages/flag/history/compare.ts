/** Which versions are compared, and what restoring one of them makes of a state. */

import type { FlagStateOrNone, StateDraft } from '../../../api/model';
import { flagFields, type Parts } from '../../../diff/versions';
import { draftOf } from '../../../flagState/draft';
import type { FlagVersion } from './queries';

export type Side = number | 'now' | 'beginning';

/** The two sides in the order of time. `against` is the version before when it is absent. */
export function sidesOf(
  version: number,
  against: number | 'now' | undefined,
  before: number | undefined,
): [Side, Side] {
  if (against === 'now') return [version, 'now'];
  if (against === undefined) return [before ?? 'beginning', version];
  return against < version ? [against, version] : [version, against];
}

/** The version that comes before one in a list of the newest first; `undefined` where none is listed. */
export function versionBefore(listed: readonly { version: number }[], version: number): number | undefined {
  return listed.find(item => item.version < version)?.version;
}

/** A version in a comparison. */
export function partsOf({ flag, state }: Pick<FlagVersion, 'flag' | 'state'>): Parts {
  return { flag: flag && flagFields(flag), state: draftOf(state ?? { enabled: false }) };
}

/** The state that restoring leaves: scheduled times that have passed are not set again. */
export function restored(state: FlagStateOrNone, now: number): StateDraft {
  const draft = draftOf(state);
  const due = (iso: string | null) => (iso !== null && Date.parse(iso) <= now ? null : iso);
  return {
    ...draft,
    scheduled_enable_at: due(draft.scheduled_enable_at),
    scheduled_disable_at: due(draft.scheduled_disable_at),
  };
}
