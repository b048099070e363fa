import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { switchFlag } from '../../flagState/switchFlag';
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
 * screen: a change that was saved meanwhile is shown, never overwritten.
 */
export function useToggle(projectID: string, flag: OverviewFlag, environment: OverviewEnvironment) {
  const client = useQueryClient();
  const [isPending, setPending] = useState(false);
  const state = flag.states[environment.id] ?? NOT_STORED;

  const show = (shown: OverviewState) => place(client, projectID, flag.id, environment.id, shown);

  async function toggle(enabled: boolean) {
    if (isPending) return;
    setPending(true);
    await client.cancelQueries({ queryKey: ['overview', projectID] });
    show({ ...state, enabled });
    const refresh = () => client.invalidateQueries({ queryKey: ['overview', projectID] });
    const refusal = await switchFlag(projectID, flag.key, environment, enabled, {
      version: state.version,
      // Whoever switches it back need not wait for the list.
      onStored: version => show({ ...state, enabled, version }),
      onUndone: () => void refresh(),
    });
    setPending(false);
    if (refusal !== null) show(state);
    await refresh();
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
    // Other queries about the flags of the project have other shapes.
    if (page?.data === undefined) return page;
    const data = page.data.map(flag =>
      flag.id === flagId ? { ...flag, states: { ...flag.states, [envId]: state } } : flag,
    );
    return { ...page, data };
  });
}
