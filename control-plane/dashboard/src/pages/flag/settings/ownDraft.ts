/** Unsaved changes of flags' own fields. They outlive the tab, so that looking at another loses nothing. */
import type { FlagFields } from '../../../diff/versions';
import { isSame } from '../../../flagState/isSame';
import { createStore } from '../../../ui/createStore';

export interface OwnDraft {
  base: FlagFields;
  /** The version of `base`. */
  etag: string;
  mine: FlagFields;
  /** A default value as it is typed while it is none. */
  typed: string | null;
}

const drafts = createStore<ReadonlyMap<string, OwnDraft>>(new Map());

function put(flagId: string, draft: OwnDraft | null): void {
  const next = new Map(drafts.get());
  if (draft === null || (draft.typed === null && isSame(draft.base, draft.mine))) next.delete(flagId);
  else next.set(flagId, draft);
  drafts.set(next);
}

/** The draft of a flag over what is stored. */
export function useOwnDraft(flagId: string, stored: { fields: FlagFields; etag: string }) {
  const kept = drafts.use().get(flagId);
  const draft: OwnDraft = kept ?? {
    base: stored.fields,
    etag: stored.etag,
    mine: stored.fields,
    typed: null,
  };
  return {
    ...draft,
    isDirty: kept !== undefined,
    isBehind: kept !== undefined && kept.etag !== stored.etag,
    set: (fields: Partial<FlagFields>) => put(flagId, { ...draft, mine: { ...draft.mine, ...fields } }),
    setDefault: (value: unknown) =>
      put(flagId, { ...draft, typed: null, mine: { ...draft.mine, default_value: value } }),
    setTyped: (typed: string) => put(flagId, { ...draft, typed }),
    rebase: (mine: FlagFields) => put(flagId, { base: stored.fields, etag: stored.etag, mine, typed: null }),
    reset: () => put(flagId, null),
  };
}
