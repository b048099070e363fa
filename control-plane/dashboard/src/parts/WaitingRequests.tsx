import { useQuery } from '@tanstack/react-query';
import { api, demand } from '../api/client';
import { useMe } from '../session/me';
import { Banner } from '../ui/Feedback';
import { PendingApprovals } from './PendingApprovals';

interface WaitingRequestsProps {
  project: { id: string; slug: string };
  flagKey: string;
}

/** On the page of a flag: how many requests about it wait, as a link to them. */
export function WaitingRequests({ project, flagKey }: WaitingRequestsProps) {
  const mayRead = useMe().permissions.includes('approvals.read');
  const { data } = useQuery({
    queryKey: ['approvals', 'waiting', project.id, flagKey],
    queryFn: async ({ signal }) => {
      const query = { project_id: project.id, flag_key: flagKey, status: 'pending', limit: 1 } as const;
      const { total } = await demand(api.GET('/v1/approvals', { params: { query }, signal }));
      return total;
    },
    enabled: mayRead,
  });
  if (!data) return null;
  return (
    <Banner tone="note">
      <PendingApprovals count={data} project={project.slug} flagKey={flagKey} />
    </Banner>
  );
}
