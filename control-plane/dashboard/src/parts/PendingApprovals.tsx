import { Link } from '@tanstack/react-router';
import { shared } from './messages';

interface PendingApprovalsProps {
  count: number;
  /** The slug or the id of the project. */
  project: string;
  flagKey: string;
  tabIndex?: number;
}

/** How many requests about a flag wait, as a link to them; nothing for none. */
export function PendingApprovals({ count, project, flagKey, tabIndex }: PendingApprovalsProps) {
  if (count === 0) return null;
  return (
    <Link
      to="/approvals"
      search={{ project, flag: flagKey }}
      {...(tabIndex === undefined ? {} : { tabIndex })}
    >
      {shared.pendingApprovals(count)}
    </Link>
  );
}
