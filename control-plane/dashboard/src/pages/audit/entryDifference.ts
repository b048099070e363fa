/** What an entry says was changed, in sentences where the thing is one that we know, else field by field. */
import type { Flag, FlagState } from '../../api/model';
import { differences } from '../../diff/differences';
import { fieldDifferences } from '../../diff/fieldDifferences';
import { type SegmentFields, segmentDifferences } from '../../diff/segmentDifferences';
import type { Sentence } from '../../diff/sentence';
import { flagFields, type Names } from '../../diff/versions';
import { draftOf } from '../../flagState/draft';
import type { Entry } from './queries';

type Fields = Readonly<Record<string, unknown>>;

const NAMES: Names = { segment: key => key, flag: key => key };

export function entryDifference(
  entry: Pick<Entry, 'resource_type' | 'before_state' | 'after_state'>,
): Sentence[] {
  const before = (entry.before_state ?? null) as Fields | null;
  const after = (entry.after_state ?? null) as Fields | null;
  // What is created or deleted has its name in the line above.
  if (after === null || (before === null && !isState(after))) return [];
  if (isShortened(before) || isShortened(after)) return fieldDifferences(before ?? {}, after);
  if (entry.resource_type === 'flag') {
    if (isState(after) && (before === null || isState(before))) {
      const state = (of: Fields | null) => (of === null ? null : draftOf(of as unknown as FlagState));
      return differences({ state: state(before) }, { state: state(after) }, NAMES);
    }
    if (isFlag(before) && isFlag(after)) {
      return differences(
        { flag: flagFields(before as unknown as Flag) },
        { flag: flagFields(after as unknown as Flag) },
        NAMES,
      );
    }
  }
  if (entry.resource_type === 'segment' && isSegment(before) && isSegment(after)) {
    return segmentDifferences(before, after);
  }
  return fieldDifferences(before ?? {}, after);
}

/** A large state keeps its hash in place of a part, or of all. */
function isShortened(state: Fields | null): boolean {
  const isMark = (of: unknown) => typeof of === 'object' && of !== null && 'omitted' in of;
  return state !== null && (isMark(state) || Object.values(state).some(isMark));
}

function isState(of: Fields): boolean {
  return typeof of.enabled === 'boolean' && Array.isArray(of.rules) && Array.isArray(of.variants);
}

function isFlag(of: Fields | null): of is Fields {
  return of !== null && Array.isArray(of.tags) && Array.isArray(of.prerequisites);
}

function isSegment(of: Fields | null): of is Fields & SegmentFields {
  return of !== null && typeof of.name === 'string' && Array.isArray(of.rules);
}

/** The environment of an entry: of a state, a key or a request, or where a state was copied to. */
export function envIdOf({ metadata, resource_type, resource_id }: Entry): string | null {
  const text = (name: string) => textOf(metadata, name);
  return text('env_id') ?? text('target_env_id') ?? (resource_type === 'environment' ? resource_id : null);
}

/** A text in an entry's metadata. */
export function textOf(metadata: Entry['metadata'], name: string): string | null {
  const value = (metadata as Fields | null)?.[name];
  return typeof value === 'string' && value !== '' ? value : null;
}
