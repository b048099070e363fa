import { type ReactNode, useState } from 'react';
import type { Refusal } from '../api/refusal';
import { t } from '../messages/en';
import { CommentField } from '../parts/CommentField';
import { Button } from '../ui/Button';
import { Dialog, DialogActions } from '../ui/Dialog';
import { Banner } from '../ui/Feedback';
import { refusalText } from '../ui/refusalText';
import { RequestId } from '../ui/ServerForm';
import { Difference } from './Difference';
import type { Names, Parts } from './versions';

interface Action {
  label: string;
  /** With the comment that was written, or none. */
  onPress: (comment: string) => void;
  isPending?: boolean;
  /** Why it cannot be done, by this person or now. */
  whyNot?: string | undefined;
  /** As while there is no connection, which the bar of the frame shows. */
  isDisabled?: boolean;
}

interface SaveDialogProps {
  title: string;
  before: Parts;
  after: Parts;
  names: Names;
  /** Shown above the difference. */
  children?: ReactNode;
  /** The same, below it. */
  footnote?: ReactNode;
  /** Left out where it is not offered at all. */
  save?: Action;
  requestApproval?: Action;
  refusal?: Refusal | null;
  onCancel: () => void;
}

/** The difference before it is saved, and what can be done with it. */
export function SaveDialog({
  title,
  before,
  after,
  names,
  children,
  footnote,
  save,
  requestApproval,
  refusal = null,
  onCancel,
}: SaveDialogProps) {
  const [comment, setComment] = useState('');
  const isBusy = save?.isPending === true || requestApproval?.isPending === true;
  const reasons = new Set([save?.whyNot, requestApproval?.whyNot].filter(reason => reason !== undefined));
  const isAllowed = [save, requestApproval].some(
    action => action !== undefined && action.whyNot === undefined,
  );
  const isSaveFirst = save !== undefined && save.whyNot === undefined;
  return (
    <Dialog title={title} isOpen isWide onClose={() => isBusy || onCancel()}>
      {refusal === null ? null : (
        <Banner tone="bad">
          <p>{refusalText(refusal)}</p>
          <RequestId refusal={refusal} />
        </Banner>
      )}
      {children}
      <Difference before={before} after={after} names={names} />
      {footnote}
      {isAllowed ? <CommentField value={comment} onChange={setComment} /> : null}
      {[...reasons].map(reason => (
        <p key={reason} className="soft">
          {reason}
        </p>
      ))}
      <DialogActions>
        <Button onPress={onCancel} isDisabled={isBusy}>
          {t.common.cancel()}
        </Button>
        {requestApproval === undefined ? null : (
          <ActionButton
            action={requestApproval}
            comment={comment}
            isBusy={isBusy}
            look={isSaveFirst ? 'secondary' : 'primary'}
          />
        )}
        {save === undefined ? null : (
          <ActionButton action={save} comment={comment} isBusy={isBusy} look="primary" />
        )}
      </DialogActions>
    </Dialog>
  );
}

interface ActionButtonProps {
  action: Action;
  comment: string;
  isBusy: boolean;
  look: 'primary' | 'secondary';
}

function ActionButton({ action, comment, isBusy, look }: ActionButtonProps) {
  const { label, onPress, isPending = false, whyNot, isDisabled = false } = action;
  return (
    <Button
      look={look}
      isPending={isPending}
      isDisabled={isDisabled || whyNot !== undefined || (isBusy && !isPending)}
      onPress={() => onPress(comment)}
    >
      {label}
    </Button>
  );
}
