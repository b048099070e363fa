import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { switchFlag } from '../flagState/switchFlag';
import type { Command } from '../frame/commands';
import { environmentsQuery } from '../frame/environments';
import { useCurrentProject } from '../frame/project';
import { askToKill } from '../kill/asked';
import { mayKill } from '../kill/mayKill';
import { useMe } from '../session/me';
import { mayToggle } from '../session/permissions';
import { usePaused } from '../ui/usePaused';
import { addressOf } from './addresses';
import { find } from './messages';
import { searchQuery } from './queries';
import { type Action, matches, meant, readAction } from './words';

export interface FoundCommand extends Omit<Command, 'section'> {
  hint?: string;
}

/** Typing pauses this long before the service is asked. */
const PAUSE_MS = 120;
/** Actions that are offered at a time. */
const ACTIONS = 9;

/** Results of the service for the text: things to open, or an action, as in "disable checkout in staging". */
export function useFound(typed: string): readonly FoundCommand[] {
  const text = typed.trim();
  const paused = usePaused(text, PAUSE_MS);
  const opened = useOpened(readAction(paused) === null ? paused : '', text);
  const actions = useActions(readAction(paused), readAction(typed));
  return readAction(typed) === null ? opened : actions;
}

/** The results for `q` that fit the current text: Enter may come before the next answer. */
function useOpened(q: string, text: string): readonly FoundCommand[] {
  const { projects } = useMe();
  const router = useRouter();
  const { data } = useQuery({ ...searchQuery(q), enabled: q !== '' });
  if (q === '' || data === undefined) return [];
  return data.flatMap(found => {
    const address = addressOf(found, projects);
    // Only pages that are there are offered.
    if (address === null || !(address.route in router.routesByPath)) return [];
    if (!matches(`${found.key} ${found.name}`, text)) return [];
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
function useActions(asked: Action | null, action: Action | null): readonly FoundCommand[] {
  const me = useMe();
  const project = useCurrentProject();
  const client = useQueryClient();
  const isAsked = asked !== null && asked.flag !== '' && project !== undefined;
  const { data: found } = useQuery({
    ...searchQuery(asked?.flag ?? '', project?.id),
    enabled: isAsked,
  });
  const { data: environments } = useQuery({
    ...environmentsQuery(project?.id ?? ''),
    enabled: isAsked,
  });
  if (action === null || project === undefined || found === undefined || environments === undefined)
    return [];
  const { verb } = action;
  const mayDo = verb === 'kill' ? mayKill : mayToggle;
  const places = meant(environments.data, action.environment).filter(({ id }) => mayDo(me, id));
  return found
    .filter(({ type, key, name }) => type === 'flag' && matches(`${key} ${name}`, action.flag))
    .flatMap(flag =>
      places.map(environment => ({
        id: `${verb}-${flag.id}-${environment.id}`,
        title: find[verb](flag.key, environment.name),
        run: () =>
          verb === 'kill'
            ? askToKill({ projectId: project.id, flagKey: flag.key, environment })
            : void run(client, project.id, flag.key, environment, verb === 'enable'),
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
