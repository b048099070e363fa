import { useQueryClient } from '@tanstack/react-query';
import type { Refusal } from '../../api/refusal';
import type { Stored } from '../../changeSets/queries';
import { Note, type ReviewAction, ReviewForm } from '../../parts/ReviewForm';
import { useMe } from '../../session/me';
import { say } from '../../ui/say';
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
            <li key={reviewed_at}>
              {(action === 'approve' ? deedWords.approvedBy : deedWords.rejectedBy)(
                nameOf(reviewer_id),
                reviewed_at,
              )}
              {note ? <Note>{note}</Note> : null}
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
  const conflicts = difference?.conflicts.length ?? 0;
  // An approval is of what others approved before, and overwrites nothing that came since.
  const isOutdated = conflicts > 0 && approvals(stored.data).length > 0;

  async function decide(action: ReviewAction, note: string): Promise<Refusal | null> {
    const seen = action === 'approve' && conflicts > 0 ? difference?.version : undefined;
    const answer = await review(stored, { action, note, seen });
    await client.invalidateQueries({ queryKey: ['change-sets', stored.data.project_id] });
    if (!answer.ok) return answer.refusal;
    if (action === 'reject') say(deedWords.rejected());
    else say(answer.data.status === 'approved' ? deedWords.approved() : deedWords.approvedOne());
    return null;
  }

  return (
    <>
      {conflicts > 0 ? <p>{(isOutdated ? deedWords.outdated : words.overwrites)(conflicts)}</p> : null}
      <ReviewForm
        hint={deedWords.noteHint()}
        approve={conflicts > 0 && !isOutdated ? deedWords.approveOver() : undefined}
        mayApprove={!isBehind && !isOutdated && difference !== undefined}
        onDecide={decide}
      />
    </>
  );
}
