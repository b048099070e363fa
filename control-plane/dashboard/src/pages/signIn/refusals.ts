import type { Refusal } from '../../api/refusal';
import { signIn } from './messages';

/** An address that is none, at its field. */
export function atEmail(refusal: Refusal) {
  return refusal.kind === 'invalid' && refusal.message === 'invalid email'
    ? { field: 'email', text: signIn.form.emailInvalid() }
    : null;
}
