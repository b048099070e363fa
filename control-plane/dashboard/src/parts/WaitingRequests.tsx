import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, demand } from '../api/client';
import { environmentsQuery } from '../frame/environments';
import { useMe } from '../session/me';
import { Banner } from '../ui/Feedback';
import { Value } from '../ui/Value';
import { shared } from './messages';

interface WaitingRequestsProps {
  project: { id: string; slug: string };
  flagKey: string;
}

/** Of more requests than that, the list of them has the rest. */
const NAMED = 3;

/** On the page of a flag: the requests about it that wait, each as a link. */
export function WaitingRequests({ project, flagKey }: WaitingRequestsProps) {
  const mayRead = useMe().permissions.includes('approvals.read');
  const environments = useQuery(environmentsQuery(project.id)).data?.data;
  const { data } = useQuery({
    queryKey: ['approvals', 'waiting', project.id, flagKey],
    queryFn: ({ signal }) => {
      const query = { project_id: project.id, flag_key: flagKey, status: 'pending', limit: NAMED } as const;
      return demand(api.GET('/v1/approvals', { params: { query }, signal }));
    },
    enabled: mayRead,
  });
  if (!data?.total) return null;
  return (
    <Banner tone="note">
      <span className="row">
        <Link to="/approvals" search={{ project: project.slug, flag: flagKey }}>
          {shared.pendingApprovals(data.total)}
        </Link>
        {data.data.map(({ id, env_id, env_slug, requestor_name }) => {
          const named = environments?.find(environment => environment.id === env_id)?.name;
          return (
            <Link key={id} to="/approvals/$id" params={{ id }}>
              <Value>{shared.pendingApproval(named ?? env_slug ?? env_id, requestor_name)}</Value>
            </Link>
          );
        })}
      </span>
    </Banner>
  );
}
