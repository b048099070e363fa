import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, outcome } from '../../api/client';
import type { Refusal } from '../../api/refusal';
import { useMe } from '../../session/me';
import { Button } from '../../ui/Button';
import { DialogActions } from '../../ui/Dialog';
import { Banner } from '../../ui/Feedback';
import { TextField } from '../../ui/Field';
import { refusalText } from '../../ui/refusalText';
import { say } from '../../ui/say';
import { useOnline } from '../../ui/useOnline';
import { approvals } from './messages';
import type { Approval } from './queries';

type Action = 'approve' | 'reject';

/** Approves or rejects a pending request, with a note. Says why where this person may not. */
export function ReviewForm({ approval, onClose }: { approval: Approval; onClose: () => void }) {
  const me = useMe();
  const client = useQueryClient();
  const isOnline = useOnline();
  const [note, setNote] = useState('');
  const [pending, setPending] = useState<Action | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);

  if (approval.status !== 'pending') return <CloseOnly onClose={onClose} />;
  if (approval.requestor_id === me.user.id) return <CloseOnly note={approvals.own()} onClose={onClose} />;
  if (!me.permissions.includes('approvals.review')) {
    return <CloseOnly note={approvals.mayNot()} onClose={onClose} />;
  }

  async function review(action: Action) {
    setPending(action);
    const answer = await outcome(
      api.POST('/v1/approvals/{approvalID}/review', {
        params: { path: { approvalID: approval.id } },
        body: { action, note },
      }),
    );
    setPending(null);
    await client.invalidateQueries({ queryKey: ['approvals'] });
    if (!answer.ok) {
      setRefusal(answer.refusal);
      return;
    }
    say(action === 'approve' ? approvals.approved() : approvals.rejected());
    onClose();
  }

  return (
    <div className="stack">
      {refusal === null ? null : <Banner tone="bad">{refusalText(refusal)}</Banner>}
      <TextField
        label={approvals.noteField()}
        description={approvals.noteHint()}
        value={note}
        onChange={setNote}
        maxLength={2000}
      />
      <DialogActions>
        <Button onPress={onClose}>{approvals.close()}</Button>
        <Button
          look="danger"
          isPending={pending === 'reject'}
          isDisabled={!isOnline || pending === 'approve'}
          onPress={() => void review('reject')}
        >
          {approvals.reject()}
        </Button>
        <Button
          look="primary"
          isPending={pending === 'approve'}
          isDisabled={!isOnline || pending === 'reject'}
          onPress={() => void review('approve')}
        >
          {approvals.approve()}
        </Button>
      </DialogActions>
    </div>
  );
}

function CloseOnly({ note, onClose }: { note?: string; onClose: () => void }) {
  return (
    <div className="stack">
      {note === undefined ? null : <Banner tone="note">{note}</Banner>}
      <DialogActions>
        <Button onPress={onClose}>{approvals.close()}</Button>
      </DialogActions>
    </div>
  );
}
