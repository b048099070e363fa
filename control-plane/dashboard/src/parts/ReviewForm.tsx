import { useState } from 'react';
import type { Refusal } from '../api/refusal';
import { Button } from '../ui/Button';
import { Banner } from '../ui/Feedback';
import { refusalText } from '../ui/refusalText';
import { RequestId } from '../ui/ServerForm';
import { useOnline } from '../ui/useOnline';
import { Value } from '../ui/Value';
import { EditField } from './Fields';
import styles from './Review.module.css';
import { reviewWords as words } from './reviewMessages';

export type ReviewAction = 'approve' | 'reject';

/** What somebody wrote with their review. */
export function Note({ children }: { children: string }) {
  return (
    <blockquote className={styles.note}>
      <Value>{children}</Value>
    </blockquote>
  );
}

interface ReviewFormProps {
  /** Who sees the note. */
  hint: string;
  /** What the button that approves says, where it is more than that. */
  approve?: string | undefined;
  mayApprove: boolean;
  onDecide: (action: ReviewAction, note: string) => Promise<Refusal | null>;
}

/** Approves or rejects what is on the page, with a note. */
export function ReviewForm({ hint, approve = words.approve(), mayApprove, onDecide }: ReviewFormProps) {
  const isOnline = useOnline();
  const [note, setNote] = useState('');
  const [pending, setPending] = useState<ReviewAction | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);

  async function decide(action: ReviewAction) {
    setPending(action);
    setRefusal(null);
    const answer = await onDecide(action, note.trim());
    setPending(null);
    setRefusal(answer);
  }

  return (
    <div className="stack">
      {refusal === null ? null : (
        <Banner tone="bad">
          <p>{refusalText(refusal)}</p>
          <RequestId refusal={refusal} />
        </Banner>
      )}
      <EditField isLong label={words.note()} description={hint} value={note} onChange={setNote} />
      <div className={styles.actions}>
        <Button
          look="primary"
          isPending={pending === 'approve'}
          isDisabled={!isOnline || !mayApprove || pending === 'reject'}
          onPress={() => void decide('approve')}
        >
          {approve}
        </Button>
        <Button
          isPending={pending === 'reject'}
          isDisabled={!isOnline || pending === 'approve'}
          onPress={() => void decide('reject')}
        >
          {words.reject()}
        </Button>
      </div>
    </div>
  );
}
