import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../api/refusal';
import type { Stored } from '../../changeSets/queries';
import { EditField } from '../../parts/Fields';
import { useMe } from '../../session/me';
import { Button } from '../../ui/Button';
import { Banner } from '../../ui/Feedback';
import { refusalText } from '../../ui/refusalText';
import { RequestId } from '../../ui/ServerForm';
import { say } from '../../ui/say';
import { useOnline } from '../../ui/useOnline';
import { Value } from '../../ui/Value';
import styles from './ChangeSets.module.css';
import { approvals, roleIn } from './deeds';
import { deedWords, words } from './messages';
import { type Difference, review } from './queries';
import { useNameOf } from './useNameOf';

interface ReviewsProps {
  stored: Stored;
  /** The one that is shown: an approval is of exactly this. */
  difference: Difference | undefined;
  isBehind: boolean;
}

/** What reviewers said, and the review of this person. Nothing where none was asked for. */
export function Reviews(props: ReviewsProps) {
  const set = props.stored.data;
  const { user, permissions } = useMe();
  const nameOf = useNameOf();
  const role = roleIn(set, { id: user.id, permissions });
  if (role === 'none' && set.reviews.length === 0) return null;
  return (
    <section className="card" aria-labelledby="review">
      <div className="row apart">
        <h2 id="review">{deedWords.reviews()}</h2>
        {set.status === 'pending' ? (
          <span className="soft">{words.approvedSoFar(approvals(set).length, set.required_approvals)}</span>
        ) : null}
      </div>
      {set.reviews.length === 0 ? null : (
        <ul className="stack close">
          {set.reviews.map(({ reviewer_id, action, note, reviewed_at }) => (
            <li key={reviewed_at} className={styles.text}>
              {(action === 'approve' ? deedWords.approvedBy : deedWords.rejectedBy)(
                nameOf(reviewer_id),
                reviewed_at,
              )}
              {note ? (
                <blockquote className={styles.note}>
                  <Value>{note}</Value>
                </blockquote>
              ) : null}
            </li>
          ))}
        </ul>
      )}
      {role === 'author' ? <p>{deedWords.author()}</p> : null}
      {role === 'reader' ? <p>{deedWords.reader()}</p> : null}
      {role === 'approved' ? <p>{deedWords.already()}</p> : null}
      {role === 'reviewer' ? <Review {...props} /> : null}
    </section>
  );
}

function Review({ stored, difference, isBehind }: ReviewsProps) {
  const client = useQueryClient();
  const isOnline = useOnline();
  const [note, setNote] = useState('');
  const [pending, setPending] = useState<'approve' | 'reject' | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const isConflicting = difference !== undefined && difference.conflicts.length > 0;

  async function decide(action: 'approve' | 'reject') {
    setPending(action);
    setRefusal(null);
    const seen = action === 'approve' && isConflicting ? difference.version : undefined;
    const answer = await review(stored, { action, note: note.trim(), seen });
    await client.invalidateQueries({ queryKey: ['change-sets', stored.data.project_id] });
    setPending(null);
    if (!answer.ok) setRefusal(answer.refusal);
    else if (action === 'reject') say(deedWords.rejected());
    else say(answer.data.status === 'approved' ? deedWords.approved() : deedWords.approvedOne());
  }

  return (
    <div className="stack">
      {refusal === null ? null : (
        <Banner tone="bad">
          <p>{refusalText(refusal)}</p>
          <RequestId refusal={refusal} />
        </Banner>
      )}
      {isConflicting ? <p>{words.overwrites(difference.conflicts.length)}</p> : null}
      <EditField
        isLong
        label={deedWords.note()}
        description={deedWords.noteHint()}
        value={note}
        onChange={setNote}
      />
      <div className="row">
        <Button
          look="primary"
          isPending={pending === 'approve'}
          isDisabled={!isOnline || isBehind || difference === undefined || pending === 'reject'}
          onPress={() => void decide('approve')}
        >
          {isConflicting ? deedWords.approveOver() : deedWords.approve()}
        </Button>
        <Button
          isPending={pending === 'reject'}
          isDisabled={!isOnline || pending === 'approve'}
          onPress={() => void decide('reject')}
        >
          {deedWords.reject()}
        </Button>
      </div>
    </div>
  );
}
