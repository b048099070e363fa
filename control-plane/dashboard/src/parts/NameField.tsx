import { TextField, type TextFieldProps } from '../ui/Field';
import { shared } from './messages';

/** The name of what a dialog makes or renames. */
export function NameField(props: Partial<TextFieldProps>) {
  return (
    <TextField
      name="name"
      label={shared.name()}
      isRequired
      autoFocus
      autoComplete="off"
      maxLength={255}
      {...props}
    />
  );
}
