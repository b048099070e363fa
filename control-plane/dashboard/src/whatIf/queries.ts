import { queryOptions } from '@tanstack/react-query';
import { api, demand, type Outcome, outcome } from '../api/client';
import type { components } from '../api/schema';

type Schemas = components['schemas'];

export type Sampling = Schemas['Sampling'];
export type SamplingInput = Schemas['SamplingInput'];
export type WhatIfAnswer = Schemas['WhatIf'];
/** The edits, or the change set, that a question is about. */
export type Draft = Pick<Schemas['WhatIfInput'], 'changes' | 'change_set_id'>;

/** What is told beside the counts. */
export interface Extras {
  /** The attribute by whose values answers are counted. */
  by?: string;
  /** How many contexts are shown. */
  examples?: number;
}

/** Seconds that the service waits for edges before it answers: its most. */
const WAIT = 5;
const ENVIRONMENT = '/v1/projects/{projectID}/environments/{envID}';

/** Whether edges keep samples of the requests of an environment. */
export function samplingQuery(projectID: string, envID: string) {
  return queryOptions({
    // A change of the environment makes it stale.
    queryKey: ['environments', projectID, 'sampling', envID],
    queryFn: ({ signal }) =>
      demand(api.GET(`${ENVIRONMENT}/sampling`, { params: { path: { projectID, envID } }, signal })),
  });
}

export function replaceSampling(
  projectID: string,
  envID: string,
  body: SamplingInput,
): Promise<Outcome<Sampling>> {
  return outcome(api.PUT(`${ENVIRONMENT}/sampling`, { params: { path: { projectID, envID } }, body }));
}

export function ask(
  projectID: string,
  envID: string,
  draft: Draft,
  extras: Extras,
): Promise<Outcome<WhatIfAnswer>> {
  const body = { ...draft, ...extras, wait_seconds: WAIT };
  return outcome(api.POST(`${ENVIRONMENT}/what-if`, { params: { path: { projectID, envID } }, body }));
}

/** What is known of a question by now. */
export function look({ env_id: envID, id: questionID }: WhatIfAnswer, projectID: string) {
  const path = { projectID, envID, questionID };
  return outcome(api.GET(`${ENVIRONMENT}/what-if/{questionID}`, { params: { path } }));
}
