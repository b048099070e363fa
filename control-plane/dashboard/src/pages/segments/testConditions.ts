/**
 * Tests conditions with the service's own engine: it explains a flag whose draft has them as its only rule. The flag
 * itself plays no part, but it must be one whose rules are reached.
 */

import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, demand, type Outcome, outcome } from '../../api/client';
import type { components } from '../../api/schema';
import { conditionWords } from '../../conditions/messages';
import { useExplainedDraft } from '../../flagState/explainDraft';
import { sentence } from '../../messages/format';
import { useMe } from '../../session/me';
import { placeOf } from './fields';
import type { SegmentFields } from './queries';

export type TestedCondition = components['schemas']['ExplainedCondition'];

export interface Tested {
  isIn: boolean;
  conditions: TestedCondition[];
}

/** Why nothing can be tested in a project. */
export type Untestable = 'environment' | 'flag';

export interface Bench {
  projectId: string;
  envId: string;
  flagKey: string;
}

/** Flags that are looked at for one without prerequisites and group. */
const MOST_FLAGS = 20;

export function benchQuery(projectID: string) {
  const path = { projectID };
  return queryOptions({
    queryKey: ['bench', projectID],
    queryFn: async ({ signal }): Promise<Bench | Untestable> => {
      const environments = await demand(
        api.GET('/v1/projects/{projectID}/environments', {
          params: { path, query: { limit: 1 } },
          signal,
        }),
      );
      const [environment] = environments.data;
      if (environment === undefined) return 'environment';
      const flags = await demand(
        api.GET('/v1/projects/{projectID}/flags', {
          params: { path, query: { limit: MOST_FLAGS } },
          signal,
        }),
      );
      for (const { key: flagKey } of flags.data) {
        const flag = await demand(
          api.GET('/v1/projects/{projectID}/flags/{flagKey}', {
            params: { path: { projectID, flagKey } },
            signal,
          }),
        );
        if (flag.prerequisites.length === 0 && flag.mutual_exclusion_group === '') {
          return { projectId: projectID, envId: environment.id, flagKey };
        }
      }
      return 'flag';
    },
    staleTime: 60_000,
  });
}

/** The conditions as the only rule of a draft. */
function draftOf({ rules, match_type }: Pick<SegmentFields, 'rules' | 'match_type'>) {
  return { enabled: true, rules: [{ id: 'segment', conditions: rules, match_type }] };
}

/** The service's warnings about the conditions, and the field that it would refuse. */
export function useConditionNotes(
  projectId: string,
  { rules, match_type }: SegmentFields,
  isComplete: boolean,
): { notes: readonly string[]; refused: { path: string; text: string } | null } {
  const mayTest = useMe().permissions.includes('flags.read');
  const { data: bench } = useQuery({ ...benchQuery(projectId), enabled: mayTest });
  const explained = useExplainedDraft(
    isComplete && rules.length > 0 && typeof bench === 'object'
      ? { ...bench, state: draftOf({ rules, match_type }) }
      : null,
  );
  if (rules.length === 0 || explained === null) return { notes: [], refused: null };
  const notes = explained.warnings.filter(({ place }) => place.includes('.conditions['));
  const message = (explained.refusal ?? '').replace(/^rules\[0\]\.conditions/, 'rules');
  const path = placeOf(message);
  return {
    notes: [...new Set(notes.map(({ message }) => conditionWords.note(message)))],
    refused: path === null ? null : { path, text: sentence(message) },
  };
}

/** A rule without conditions matches everyone; a segment without any matches no one. */
export async function testConditions(
  { projectId, envId, flagKey }: Bench,
  fields: Pick<SegmentFields, 'rules' | 'match_type'>,
  context: { key: string; attributes: Record<string, unknown> },
): Promise<Outcome<Tested>> {
  const answer = await outcome(
    api.POST('/v1/explain', {
      body: {
        project_id: projectId,
        env_id: envId,
        flag_key: flagKey,
        context,
        state: draftOf(fields),
      },
    }),
  );
  if (!answer.ok) return answer;
  const [rule] = answer.data.rules;
  return {
    ...answer,
    data: { isIn: fields.rules.length > 0 && rule?.matched === true, conditions: rule?.conditions ?? [] },
  };
}
