import { queryOptions } from '@tanstack/react-query';
import { api, demand, type Outcome, outcome } from '../api/client';
import type { FlagState } from '../api/model';
import { waiting } from '../flagState/comment';
import type { Target } from './asked';
import { perMinute, span } from './evaluationRate';

/** The ids of the environments whose states are protected. */
export function protectedQuery(projectID: string) {
  return queryOptions({
    queryKey: ['protected', projectID],
    queryFn: async ({ signal }) => {
      const { environments } = await demand(
        api.GET('/v1/projects/{projectID}/overview', {
          params: { path: { projectID }, query: { limit: 1 } },
          signal,
        }),
      );
      return environments.filter(environment => environment.protected).map(({ id }) => id);
    },
  });
}

/** How often a flag is evaluated in an environment a minute, of late. */
export function loadQuery(projectID: string, flagKey: string, envID: string) {
  return queryOptions({
    queryKey: ['load', projectID, flagKey, envID],
    queryFn: async ({ signal }) => {
      const minutes = span(Date.now());
      const report = await demand(
        api.GET('/v1/metrics/series', {
          params: {
            query: {
              project_id: projectID,
              env_id: envID,
              flag_key: flagKey,
              step: '1m',
              from: String(minutes.from),
              to: String(minutes.to),
            },
          },
          signal,
        }),
      );
      return perMinute(report, minutes);
    },
  });
}

export function kill(
  { projectId, flagKey, environment }: Target,
  comment: string,
): Promise<Outcome<FlagState>> {
  return outcome(
    api.POST('/v1/projects/{projectID}/flags/{flagKey}/kill', {
      params: { path: { projectID: projectId, flagKey }, query: waiting(comment) },
      body: { env_id: environment.id },
    }),
  );
}

/** Switches a killed flag on, unless its state changed since. */
export function turnOn(
  { projectId, flagKey, environment }: Target,
  etag: string,
): Promise<Outcome<FlagState>> {
  return outcome(
    api.PUT('/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}', {
      params: { path: { projectID: projectId, flagKey, envID: environment.id }, query: { wait: 'edges' } },
      headers: { 'if-match': etag },
      body: { enabled: true },
    }),
  );
}
