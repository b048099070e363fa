import { type ReactNode, useState } from 'react';
import type { Refusal } from '../api/refusal';
import { TextField } from '../ui/Field';
import { FormDialog } from '../ui/FormDialog';
import { CommentField } from './CommentField';
import { shared } from './messages';

interface TypedConfirmProps {
  title: string;
  /** Names the action on the button. */
  confirm: string;
  /** Restores rather than loses. */
  isHarmless?: boolean;
  /** The text to type; `null` where a press is enough. */
  typed: string | null;
  /** Whether a comment on the change can be written. */
  hasComment?: boolean;
  onConfirm: (comment: string) => Promise<Refusal | null>;
  onClose: () => void;
  explain?: (refusal: Refusal) => { text?: string } | null;
  /** The loss, and the people whom it affects. */
  children: ReactNode;
}

/** Asks before something that cannot be undone. It closes when the service did it, and shows why when it did not. */
export function TypedConfirm({
  title,
  confirm,
  isHarmless = false,
  typed,
  hasComment = false,
  onConfirm,
  onClose,
  explain,
  children,
}: TypedConfirmProps) {
  const [text, setText] = useState('');
  const [comment, setComment] = useState('');
  const isTyped = typed === null || text.trim() === typed;

  async function submit(): Promise<Refusal | null> {
    if (!isTyped) return null;
    const refusal = await onConfirm(comment);
    if (refusal === null) onClose();
    return refusal;
  }

  return (
    <FormDialog
      title={title}
      submit={confirm}
      look={isHarmless ? 'primary' : 'danger'}
      isReady={isTyped}
      onSubmit={submit}
      {...(explain === undefined ? {} : { explain })}
      onClose={onClose}
    >
      {children}
      {typed === null ? null : (
        <TextField
          label={shared.typeToConfirm(typed)}
          autoComplete="off"
          spellCheck="false"
          autoFocus
          value={text}
          onChange={setText}
        />
      )}
      {hasComment ? <CommentField value={comment} onChange={setComment} /> : null}
    </FormDialog>
  );
}
