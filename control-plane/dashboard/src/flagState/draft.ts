/** Unsaved changes of a flag's states. */
import { createContext, use } from 'react';
import type { FlagStateOrNone, Rule, StateDraft } from '../api/model';

/** A state with its version. */
export interface StoredState {
  state: FlagStateOrNone;
  etag: string;
}

/** A draft of one environment. It stays when another person saves: `etag` is the version that it was made from. */
export interface DraftEntry {
  base: StateDraft;
  etag: string;
  draft: StateDraft;
  /** Typed text that is not a value yet, by field: `{"a":` is no JSON. */
  texts: Readonly<Record<string, string>>;
}

export interface DraftOfState {
  /** The state that the draft was made from: the stored one, unless another person saved meanwhile. */
  base: StateDraft;
  /** The version of `base`, for `If-Match`. */
  etag: string;
  draft: StateDraft;
  /** Takes the draft as it is to be, or what makes it from the one that there is. */
  set: (next: StateDraft | ((draft: StateDraft) => StateDraft)) => void;
  texts: Readonly<Record<string, string>>;
  /** Keeps what is typed into a field and is no value yet; `null` once it is one. */
  setText: (field: string, text: string | null) => void;
  isDirty: boolean;
  /** Back to what is stored. */
  reset: () => void;
  /** Continues on a version that another person saved, which becomes the base of the draft. */
  rebase: (base: StateDraft, etag: string, draft: StateDraft) => void;
  /** The stored state, and whether its version differs from that of `base`. */
  stored: StoredState;
  isBehind: boolean;
}

export const DraftContext = createContext<DraftOfState | null>(null);

/** The draft of the environment that is open. Only for what is inside the page of a flag. */
export function useDraft(): DraftOfState {
  const draft = use(DraftContext);
  if (draft === null) throw new Error('useDraft is used outside of the page of a flag');
  return draft;
}

const NOT_STORED: StateDraft = {
  enabled: false,
  default_value: null,
  rules: [],
  percentage_rollout: null,
  variants: [],
  scheduled_enable_at: null,
  scheduled_disable_at: null,
};

/** A stored state as a draft: its rules in the order in which they are tried, with their places as priorities. */
export function draftOf(state: FlagStateOrNone): StateDraft {
  if (!('rules' in state)) return { ...NOT_STORED, enabled: state.enabled };
  const { id: _, updated_at: __, ...fields } = state;
  return { ...fields, rules: numbered(inOrder(fields.rules)) };
}

/** Rules in the order in which they are tried: by priority, ties as they are written. */
export function inOrder(rules: readonly Rule[]): Rule[] {
  return rules
    .map((rule, place) => ({ rule, priority: rule.priority ?? place }))
    .sort((a, b) => a.priority - b.priority)
    .map(({ rule }) => rule);
}

/** Gives each rule its place as priority, as every change of their order has to. */
export function numbered(rules: readonly Rule[]): Rule[] {
  return rules.map((rule, place) => ({ ...rule, priority: place }));
}
