import { Chip } from '../../ui/Chip';
import { isWithdrawn } from './decisions';
import { approvals } from './messages';
import type { Approval } from './queries';

/** Where a request stands, with the approvals so far where it takes several. */
export function StatusChip({ approval }: { approval: Approval }) {
  const { status, approvals: given, required_approvals } = approval;
  if (status === 'applied') return <Chip tone="good">{approvals.status(status)}</Chip>;
  if (isWithdrawn(approval)) return <Chip>{approvals.withdrawn()}</Chip>;
  if (status !== 'pending') return <Chip>{approvals.status(status)}</Chip>;
  return (
    <Chip tone="warn">
      {required_approvals > 1
        ? approvals.approvedSoFar(given.length, required_approvals)
        : approvals.status(status)}
    </Chip>
  );
}
