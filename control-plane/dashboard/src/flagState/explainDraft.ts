/** What the service says of a draft while it is edited: its warnings, what it would refuse, and the values that it serves. */
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api, outcome } from '../api/client';
import type { StateDraft } from '../api/model';
import type { components } from '../api/schema';
import { usePaused } from '../ui/usePaused';

type Schemas = components['schemas'];

export type Warning = Schemas['Warning'];
export type DraftValues = Schemas['ExplainedDraft'];

/** A draft of a flag in an environment: of all of its state, or of a part. */
export interface DraftOfFlag {
  projectId: string;
  envId: string;
  flagKey: string;
  state: Schemas['StatePatch'];
}

export interface ExplainedDraft {
  /** The rules that `warnings` are about, by their places. */
  rules: Pick<StateDraft, 'rules'>['rules'];
  warnings: readonly Warning[];
  values: DraftValues | null;
  /** The message by which the service refuses the draft. */
  refusal: string | null;
}

/** Typing pauses this long before the service is asked. */
const PAUSE_MS = 250;

function explainDraftQuery({ projectId, envId, flagKey, state }: DraftOfFlag) {
  return queryOptions({
    queryKey: ['explain', projectId, envId, flagKey, state],
    queryFn: async ({ signal }): Promise<ExplainedDraft | null> => {
      const answer = await outcome(
        api.POST('/v1/explain', {
          body: {
            project_id: projectId,
            env_id: envId,
            flag_key: flagKey,
            context: { key: 'anyone' },
            state,
          },
          signal,
        }),
      );
      const rules = (state.rules ?? []) as ExplainedDraft['rules'];
      if (answer.ok) {
        return { rules, warnings: answer.data.warnings, values: answer.data.draft ?? null, refusal: null };
      }
      const { refusal } = answer;
      return refusal.kind === 'invalid'
        ? { rules, warnings: [], values: null, refusal: refusal.message }
        : null;
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 10_000,
    placeholderData: keepPreviousData,
  });
}

/** The last answer, which stays until there is another. An incomplete draft is not sent: the service would refuse it. */
export function useExplainedDraft(draft: DraftOfFlag | null): ExplainedDraft | null {
  const text = JSON.stringify(draft);
  const paused = usePaused(text, PAUSE_MS);
  const asked = JSON.parse(paused) as DraftOfFlag | null;
  const { data } = useQuery({
    ...explainDraftQuery(asked ?? { projectId: '', envId: '', flagKey: '', state: {} }),
    enabled: asked !== null && paused === text,
  });
  return data ?? null;
}
