import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { Refused } from '../api/refusal';
import { states } from '../messages/states';
import { Button } from '../ui/Button';
import { Banner } from '../ui/Feedback';
import type { Kind } from './gone/trail';

interface DeletedProps {
  kind: Kind;
  /** The query of the thing that the page is about, and how its last look ended. */
  queryKey: QueryKey;
  error: Error | null;
}

/**
 * For pages with a draft of a thing that another person deletes: typed text stays until its author leaves.
 */
export function Deleted({ kind, queryKey, error }: DeletedProps) {
  const client = useQueryClient();
  if (!(error instanceof Refused) || error.refusal.kind !== 'absent') return null;
  const leave = () => void client.resetQueries({ queryKey, exact: true });
  return (
    <Banner tone="bad" actions={<Button onPress={leave}>{states.showTrail()}</Button>}>
      <p>{states.deletedMeanwhile(kind)}</p>
    </Banner>
  );
}
