/** What somebody has changed of flags' own fields and not saved yet. It outlives the tab, so that looking at another loses nothing. */
import { useSyncExternalStore } from 'react';
import type { FlagFields } from '../../../diff/versions';
import { isSame } from '../../../flagState/isSame';

export interface OwnDraft {
  base: FlagFields;
  /** The version of `base`. */
  etag: string;
  mine: FlagFields;
  /** A default value as it is typed while it is none. */
  typed: string | null;
}

const drafts = new Map<string, OwnDraft>();
const listeners = new Set<() => void>();

function put(flagId: string, draft: OwnDraft | null): void {
  if (draft === null || (draft.typed === null && isSame(draft.base, draft.mine))) drafts.delete(flagId);
  else drafts.set(flagId, draft);
  for (const listener of listeners) listener();
}

/** The draft of a flag over what is stored. */
export function useOwnDraft(flagId: string, stored: { fields: FlagFields; etag: string }) {
  const kept = useSyncExternalStore(
    listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => drafts.get(flagId),
  );
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
