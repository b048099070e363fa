import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../api/refusal';
import { Note, type ReviewAction, ReviewForm } from '../../parts/ReviewForm';
import { useMe } from '../../session/me';
import { Button } from '../../ui/Button';
import { ConfirmDialog } from '../../ui/Dialog';
import { Banner } from '../../ui/Feedback';
import { refusalText } from '../../ui/refusalText';
import { say } from '../../ui/say';
import { isWithdrawn, roleIn } from './decisions';
import { approvals } from './messages';
import { type Approval, type Diff, diffQuery, review, reviewersQuery, withdraw } from './queries';

interface DecisionProps {
  approval: Approval;
  /** The difference that is shown: an approval is of exactly this one. */
  diff: Diff;
  isBehind: boolean;
  onBehind: () => void;
}

/** Who approved so far, and what this person can do: approve and reject, withdraw, or why neither. */
export function Decision({ approval, diff, isBehind, onBehind }: DecisionProps) {
  const me = useMe();
  const role = roleIn(approval, { id: me.user.id, permissions: me.permissions });
  return (
    <section className="card" aria-labelledby="review">
      <div className="row apart">
        <h2 id="review">{approvals.reviews()}</h2>
        {approval.status === 'pending' ? (
          <span className="soft">
            {approvals.approvedSoFar(approval.approvals.length, approval.required_approvals)}
          </span>
        ) : null}
      </div>
      <Given approval={approval} />
      {role === 'own' ? <Own approval={approval} /> : null}
      {role === 'reader' ? <p>{approvals.mayNot()}</p> : null}
      {role === 'approved' ? <p>{approvals.already()}</p> : null}
      {role === 'reviewer' ? (
        <Review approval={approval} diff={diff} isBehind={isBehind} onBehind={onBehind} />
      ) : null}
    </section>
  );
}

/** The approvals so far and the decision, with their notes. */
function Given({ approval }: { approval: Approval }) {
  const { permissions } = useMe();
  const { approvals: given, status, reviewer_id, reviewer_name, reviewed_at, review_note } = approval;
  const earlier = given.filter(one => status === 'pending' || one.reviewer_id !== reviewer_id);
  const names = useQuery({
    ...reviewersQuery(approval.id, given.length),
    enabled: earlier.length > 0 && permissions.includes('audit.read'),
  }).data;
  if (given.length === 0 && reviewed_at === null) return null;
  const name = reviewer_name ?? approvals.someone();
  const decided = isWithdrawn(approval)
    ? approvals.withdrawnBy
    : status === 'applied'
      ? approvals.appliedBy
      : approvals.rejectedBy;
  return (
    <ul className="stack close">
      {earlier.map(({ reviewer_id: id, reviewed_at: at, note }) => (
        <li key={id}>
          {approvals.approvedBy(names?.get(id) ?? approvals.someone(), at)}
          {note ? <Note>{note}</Note> : null}
        </li>
      ))}
      {reviewed_at === null ? null : (
        <li>
          {decided(name, reviewed_at)}
          {review_note ? <Note>{review_note}</Note> : null}
        </li>
      )}
    </ul>
  );
}

function Review({ approval, diff, isBehind, onBehind }: DecisionProps) {
  const client = useQueryClient();

  async function decide(action: ReviewAction, note: string): Promise<Refusal | null> {
    const answer = await review(approval.id, { action, note, seen: diff.current_version });
    await Promise.all([
      client.invalidateQueries({ queryKey: ['approvals'] }),
      client.invalidateQueries({ queryKey: diffQuery(approval).queryKey }),
    ]);
    if (!answer.ok) return answer.refusal;
    onBehind();
    void client.invalidateQueries({ queryKey: ['overview', approval.project_id] });
    const isApplied = answer.data.status === 'applied';
    say(
      action === 'reject' ? approvals.rejected() : isApplied ? approvals.approved() : approvals.approvedOne(),
    );
    return null;
  }

  return (
    <ReviewForm
      hint={approvals.noteHint()}
      approve={diff.conflicts.length > 0 ? approvals.overwrite() : undefined}
      mayApprove={!isBehind && diff.current_version !== null}
      onDecide={decide}
    />
  );
}

function Own({ approval }: { approval: Approval }) {
  const client = useQueryClient();
  const mayWithdraw = useMe().permissions.includes('approvals.create');
  const [isAsked, setAsked] = useState(false);
  const [isPending, setPending] = useState(false);
  const [refusal, setRefusal] = useState<Refusal | null>(null);

  async function confirm() {
    setPending(true);
    const answer = await withdraw(approval.id);
    await client.invalidateQueries({ queryKey: ['approvals'] });
    setPending(false);
    setAsked(false);
    setRefusal(answer.ok ? null : answer.refusal);
    if (answer.ok) {
      void client.invalidateQueries({ queryKey: ['overview', approval.project_id] });
      say(approvals.withdrew());
    }
  }

  return (
    <div className="stack">
      {refusal === null ? null : <Banner tone="bad">{refusalText(refusal)}</Banner>}
      <p>{approvals.own()}</p>
      {mayWithdraw ? (
        <div>
          <Button onPress={() => setAsked(true)}>{approvals.withdraw()}</Button>
        </div>
      ) : null}
      <ConfirmDialog
        title={approvals.withdrawTitle()}
        confirm={approvals.withdraw()}
        isOpen={isAsked}
        isPending={isPending}
        onConfirm={() => void confirm()}
        onClose={() => setAsked(false)}
      >
        <p>{approvals.withdrawText()}</p>
      </ConfirmDialog>
    </div>
  );
}
