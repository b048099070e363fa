import { queryOptions } from '@tanstack/react-query';
import { api, type Outcome, outcome } from '../../../api/client';
import type { StateDraft } from '../../../api/model';
import type { components } from '../../../api/schema';
import { draftOf } from '../../../flagState/draft';
import { versionQuery } from '../history/queries';
import type { Context } from './context';

type Schemas = components['schemas'];

export type Explanation = Schemas['Explanation'];

/** The subject of an explanation: the stored flag, a draft of its state, or an earlier version. */
export type Subject =
  | { kind: 'stored'; state: StateDraft }
  | { kind: 'draft'; state: StateDraft }
  | { kind: 'past'; version: number };

/** The stored flag, with an earlier version before it and a draft after it where there is one. */
export function subjectsOf(stored: StateDraft, draft: StateDraft | null, version: number | null): Subject[] {
  return [
    ...(version === null ? [] : [{ kind: 'past', version } as const]),
    { kind: 'stored', state: stored },
    ...(draft === null ? [] : [{ kind: 'draft', state: draft } as const]),
  ];
}

export interface Question {
  projectId: string;
  envId: string;
  flagKey: string;
  context: Context;
  subjects: readonly Subject[];
}

export interface Answer {
  subject: Subject;
  /** The state that was explained; `null` where it is not known. */
  state: StateDraft | null;
  outcome: Outcome<Explanation>;
}

/** The explanations of all subjects, one after another: a question never has more than one request under way. */
export function explainQuery(question: Question) {
  const { projectId, envId, flagKey, context, subjects } = question;
  return queryOptions({
    queryKey: ['explain', projectId, question],
    queryFn: async ({ signal, client }): Promise<Answer[]> => {
      const answers: Answer[] = [];
      for (const subject of subjects) {
        const call = api.POST('/v1/explain', {
          body: {
            project_id: projectId,
            env_id: envId,
            flag_key: flagKey,
            // The service checks it, and its message is shown.
            context: context as Schemas['ExplainContext'],
            ...(subject.kind === 'draft' ? { state: subject.state } : {}),
            ...(subject.kind === 'past' ? { version: subject.version } : {}),
          },
          signal,
        });
        const told = await outcome(call);
        const state =
          subject.kind === 'past'
            ? await client
                .ensureQueryData(versionQuery(projectId, flagKey, envId, subject.version))
                .then(past => draftOf(past.state ?? { enabled: false }))
                .catch(() => null)
            : subject.state;
        answers.push({ subject, state, outcome: told });
      }
      return answers;
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 10_000,
  });
}
