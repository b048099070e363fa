import { useCallback, useMemo, useState } from 'react';
import type { StateDraft } from '../../api/model';
import { type DraftEntry, type DraftOfState, draftOf, type StoredState } from '../../flagState/draft';
import { isSame } from '../../flagState/isSame';

type Entries = Readonly<Record<string, DraftEntry>>;

/** The drafts of a flag's environments, kept as long as the page of the flag is open. */
export function useDrafts() {
  const [entries, setEntries] = useState<Entries>({});

  const change = useCallback((envId: string, fresh: DraftEntry, next: (entry: DraftEntry) => DraftEntry) => {
    setEntries(({ [envId]: before = fresh, ...others }) => {
      const entry = next(before);
      return isChanged(entry) ? { ...others, [envId]: entry } : others;
    });
  }, []);
  const drop = useCallback((envId: string) => setEntries(({ [envId]: _, ...others }) => others), []);
  return useMemo(() => ({ entries, change, drop }), [entries, change, drop]);
}

export type Drafts = ReturnType<typeof useDrafts>;

/** A draft that says what its base says is none: from then on what is stored is shown again. */
function isChanged({ base, draft, texts }: DraftEntry): boolean {
  return Object.keys(texts).length > 0 || !isSame(base, draft);
}

/** The draft of an environment over what is stored there. */
export function useDraftOf(drafts: Drafts, envId: string, stored: StoredState): DraftOfState {
  const { entries, change, drop } = drafts;
  const entry = entries[envId];
  return useMemo(() => {
    const base = draftOf(stored.state);
    const fresh: DraftEntry = { base, etag: stored.etag, draft: base, texts: {} };
    const current = entry ?? fresh;
    return {
      ...current,
      set: (next: StateDraft | ((draft: StateDraft) => StateDraft)) =>
        change(envId, fresh, before => ({
          ...before,
          draft: typeof next === 'function' ? next(before.draft) : next,
        })),
      setText: (field: string, text: string | null) =>
        change(envId, fresh, before => {
          const { [field]: _, ...others } = before.texts;
          return { ...before, texts: text === null ? others : { ...others, [field]: text } };
        }),
      isDirty: entry !== undefined,
      reset: () => drop(envId),
      rebase: (nextBase: StateDraft, etag: string, draft: StateDraft) =>
        change(envId, fresh, ({ texts }) => ({ base: nextBase, etag, draft, texts })),
      stored,
      isBehind: entry !== undefined && entry.etag !== stored.etag,
    };
  }, [entry, envId, stored, change, drop]);
}
