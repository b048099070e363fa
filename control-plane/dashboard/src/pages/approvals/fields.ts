/** The fields of a state that a request changes, as a part of a difference. */
import type { FlagState } from '../../api/model';
import type { Parts } from '../../diff/versions';
import { draftOf } from '../../flagState/draft';

export type Fields = Readonly<Record<string, unknown>>;

const BLANK: FlagState = { ...draftOf({ enabled: false }), id: '', updated_at: '' };

/** A whole state with these fields; the others are the same on both sides, so no sentence is about them. */
export function partsOf(fields: Fields): Parts {
  return { state: draftOf({ ...BLANK, ...fields } as FlagState) };
}

/** Some of the fields. */
export function only(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}
