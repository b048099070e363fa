import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { mayToggle } from '../flags/permissions';
import { switchFlag } from '../flags/switchFlag';
import type { Command } from '../frame/commands';
import { environmentsQuery } from '../frame/environments';
import { useCurrentProject } from '../frame/project';
import { find } from '../messages/find';
import { useMe } from '../session/me';
import { addressOf } from './addresses';
import { searchQuery } from './queries';
import { type Action, meant, readAction } from './words';

export interface FoundCommand extends Omit<Command, 'section'> {
  hint?: string;
}

/** Typing pauses this long before the service is asked. */
const PAUSE_MS = 120;
/** Actions that are offered at a time. */
const ACTIONS = 9;

/** What the service finds for the text: things to open, or, for "disable checkout in staging", what it would do. */
export function useFound(typed: string): readonly FoundCommand[] {
  const paused = usePaused(typed.trim());
  const action = readAction(paused);
  const opened = useOpened(action === null ? paused : '');
  const actions = useActions(action);
  return action === null ? opened : actions;
}

function useOpened(q: string): readonly FoundCommand[] {
  const { projects } = useMe();
  const router = useRouter();
  const { data } = useQuery({ ...searchQuery(q), enabled: q !== '' });
  if (q === '' || data === undefined) return [];
  return data.flatMap(found => {
    const address = addressOf(found, projects);
    // Only pages that are there are offered.
    if (address === null || !(address.route in router.routesByPath)) return [];
    const project = found.type === 'project' ? undefined : projects.find(({ id }) => id === found.project_id);
    return [
      {
        id: `found-${found.type}-${found.id}`,
        title: find.title(found.key, found.name),
        hint: find.hint(found.type, project?.name ?? null),
        run: () => router.history.push(address.path),
      },
    ];
  });
}

/** In the project that is open: a flag's key names it only there. */
function useActions(action: Action | null): readonly FoundCommand[] {
  const me = useMe();
  const project = useCurrentProject();
  const client = useQueryClient();
  const isAsked = action !== null && action.flag !== '' && project !== undefined;
  const { data: found } = useQuery({
    ...searchQuery(action?.flag ?? '', project?.id),
    enabled: isAsked,
  });
  const { data: environments } = useQuery({
    ...environmentsQuery(project?.id ?? ''),
    enabled: isAsked,
  });
  if (action === null || project === undefined || found === undefined || environments === undefined)
    return [];
  if (action.verb === 'kill') return [];
  const isOn = action.verb === 'enable';
  const places = meant(environments.data, action.environment).filter(({ id }) => mayToggle(me, id));
  return found
    .filter(({ type }) => type === 'flag')
    .flatMap(flag =>
      places.map(environment => ({
        id: `${action.verb}-${flag.id}-${environment.id}`,
        title: (isOn ? find.enable : find.disable)(flag.key, environment.name),
        run: () => void run(client, project.id, flag.key, environment, isOn),
      })),
    )
    .slice(0, ACTIONS);
}

async function run(
  client: QueryClient,
  projectId: string,
  flagKey: string,
  environment: { id: string; name: string },
  isOn: boolean,
): Promise<void> {
  await switchFlag(projectId, flagKey, environment, isOn);
  await Promise.all([
    client.invalidateQueries({ queryKey: ['overview', projectId] }),
    client.invalidateQueries({ queryKey: ['flag', projectId, flagKey] }),
  ]);
}

function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}
