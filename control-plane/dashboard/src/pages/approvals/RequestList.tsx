import { Link } from '@tanstack/react-router';
import shared from '../../parts/Review.module.css';
import { useNow } from '../../ui/useNow';
import { Value } from '../../ui/Value';
import styles from './Approvals.module.css';
import { approvals } from './messages';
import type { Approval } from './queries';
import { StatusChip } from './StatusChip';

/** Requests, each with a link to its page. */
export function RequestList({ requests }: { requests: readonly Approval[] }) {
  const now = useNow(60_000);
  const gone = approvals.gone();
  return (
    <ul className={`${shared.lines} lines`} aria-label={approvals.title()}>
      {requests.map(approval => (
        <li key={approval.id}>
          <span className={shared.what}>
            <Link to="/approvals/$id" params={{ id: approval.id }} className={shared.name}>
              <Value>{approvals.request(approval.flag_key ?? gone, approval.env_slug ?? gone)}</Value>
            </Link>
            <span className="soft small">
              {approval.reviewed_at === null
                ? approvals.asked(approval.requestor_name ?? approvals.someone(), approval.created_at, now)
                : approvals.decided(approval.reviewer_name ?? approvals.someone(), approval.reviewed_at, now)}
            </span>
            {approval.note === '' ? null : (
              <span className={styles.excerpt}>
                <Value>{approval.note}</Value>
              </span>
            )}
          </span>
          <StatusChip approval={approval} />
        </li>
      ))}
    </ul>
  );
}
