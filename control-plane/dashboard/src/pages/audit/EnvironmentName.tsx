import { useQuery } from '@tanstack/react-query';
import { environmentsQuery } from '../../frame/environments';
import { useMe } from '../../session/me';
import { envIdOf } from './entryDifference';
import { audit } from './messages';
import type { Entry } from './queries';

/** The environment that an entry is about, while it is there. */
export function EnvironmentName({ entry }: { entry: Entry }) {
  const environment = useEnvironment(entry);
  if (environment === undefined || entry.resource_type === 'environment') return null;
  return <span className="soft">{audit.inEnvironment(environment.name)}</span>;
}

export function useEnvironment(entry: Entry) {
  const { projects, permissions } = useMe();
  const id = envIdOf(entry);
  const project = projects.find(one => one.id === entry.project_id);
  const { data } = useQuery({
    ...environmentsQuery(project?.id ?? ''),
    enabled: project !== undefined && id !== null && permissions.includes('environments.read'),
  });
  return data?.data.find(one => one.id === id);
}
