import { useQuery } from '@tanstack/react-query';
import { useMe } from '../session/me';
import { Banner } from '../ui/Feedback';
import { type Counted, shared } from './messages';
import { type Limit, limitOf, usageQuery } from './usage';

/** How much of the plan's environments in one project is used; nothing without a limit or while it is not known. */
export function useEnvironmentLimit(used: number | undefined): Limit | null {
  const { data } = useUsage();
  return data === undefined || used === undefined ? null : limitOf(used, data.environments_limit);
}

export function useProjectLimit(): Limit | null {
  const { data } = useUsage();
  return data === undefined ? null : limitOf(data.projects_used, data.projects_limit);
}

export function useSeatLimit(): Limit | null {
  const { data } = useUsage();
  return data === undefined ? null : limitOf(data.seats_used, data.seats_limit);
}

function useUsage() {
  const { permissions } = useMe();
  return useQuery({ ...usageQuery, enabled: permissions.includes('billing.read') });
}

interface PlanLimitProps {
  limit: Limit | null;
  what: Counted;
}

/** Used of allowed, before the service has to refuse. */
export function PlanLimit({ limit, what }: PlanLimitProps) {
  if (limit === null) return null;
  const text = shared.allowed(limit.used, limit.limit, what);
  if (!limit.isReached) return <p className="soft small">{text}</p>;
  return (
    <Banner tone="warn">
      <p>{text}</p>
      <p>{shared.askForMore()}</p>
    </Banner>
  );
}
