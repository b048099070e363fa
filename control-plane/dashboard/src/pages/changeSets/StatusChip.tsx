import type { ChangeSet } from '../../changeSets/queries';
import { Chip } from '../../ui/Chip';
import { approvals } from './deeds';
import { words } from './messages';

const TONES = { applied: 'good', pending: 'warn', failed: 'warn' } as const;

/** Where a change set stands, with the approvals so far where it takes several. */
export function StatusChip({ set }: { set: ChangeSet }) {
  const { status, required_approvals: required } = set;
  const tone = status in TONES ? TONES[status as keyof typeof TONES] : 'plain';
  const isCounted = status === 'pending' && required > 1;
  return (
    <Chip tone={tone}>
      {isCounted ? words.approvedSoFar(approvals(set).length, required) : words.statuses[status]}
    </Chip>
  );
}
