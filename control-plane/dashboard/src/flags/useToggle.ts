import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, outcome } from '../api/client';
import { t } from '../messages/en';
import { list } from '../messages/format';
import { refusalText } from '../ui/refusalText';
import { say, warn } from '../ui/say';
import { names } from './edges';
import type { Overview, OverviewEnvironment, OverviewFlag, OverviewState } from './overview';

const NOT_STORED: OverviewState = {
  enabled: false,
  rules: 0,
  percentage_rollout: null,
  variants: 0,
  scheduled_enable_at: null,
  scheduled_disable_at: null,
  pending_approvals: 0,
  version: 0,
  updated_at: '',
  updated_by: null,
};

/**
 * Switches a flag in an environment and says when the edges serve it. The write names the version that was on the
 * screen: what somebody else saved meanwhile is shown, never overwritten.
 */
export function useToggle(projectID: string, flag: OverviewFlag, environment: OverviewEnvironment) {
  const client = useQueryClient();
  const [isPending, setPending] = useState(false);
  const state = flag.states[environment.id] ?? NOT_STORED;

  async function toggle(enabled: boolean) {
    if (isPending) return;
    setPending(true);
    await client.cancelQueries({ queryKey: ['overview', projectID] });
    place(client, projectID, flag.id, environment.id, { ...state, enabled });
    const answer = await outcome(
      api.PUT('/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}', {
        params: {
          path: { projectID, flagKey: flag.key, envID: environment.id },
          query: { wait: 'edges' },
        },
        headers: { 'if-match': `"${state.version}"` },
        body: { enabled },
      }),
    );
    setPending(false);
    if (answer.ok) {
      const lagging = names(answer.response.headers.get('x-edges-lagging'));
      const served = names(answer.response.headers.get('x-edges-acknowledged')).length;
      if (lagging.length > 0) warn(t.flags.lagging(flag.key, environment.name, enabled, list(lagging)));
      else say(t.flags.served(flag.key, environment.name, enabled, served));
    } else {
      place(client, projectID, flag.id, environment.id, state);
      warn(
        answer.refusal.kind === 'changed'
          ? t.flags.changedMeanwhile(flag.key, environment.name)
          : t.flags.failed(flag.key, environment.name, refusalText(answer.refusal)),
      );
    }
    await client.invalidateQueries({ queryKey: ['overview', projectID] });
  }

  return { state, isPending, toggle };
}

/** Puts a state into every page that shows the flag. */
function place(
  client: QueryClient,
  projectID: string,
  flagId: string,
  envId: string,
  state: OverviewState,
): void {
  client.setQueriesData<Overview>({ queryKey: ['overview', projectID] }, page => {
    if (page === undefined) return page;
    const data = page.data.map(flag =>
      flag.id === flagId ? { ...flag, states: { ...flag.states, [envId]: state } } : flag,
    );
    return { ...page, data };
  });
}
