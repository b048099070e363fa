import { t } from '../messages/en';
import { TextField } from '../ui/Field';

/** The longest comment that the service takes. */
const LONGEST = 500;

interface CommentFieldProps {
  value: string;
  onChange: (text: string) => void;
}

/** Why a change is made. Its history and the audit log keep it. */
export function CommentField({ value, onChange }: CommentFieldProps) {
  return (
    <TextField
      label={t.comment.label()}
      description={t.comment.text()}
      value={value}
      onChange={onChange}
      maxLength={LONGEST}
      autoComplete="off"
    />
  );
}
