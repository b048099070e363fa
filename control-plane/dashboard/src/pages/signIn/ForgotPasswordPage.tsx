import { getRouteApi, Link } from '@tanstack/react-router';
import { open, outcome } from '../../api/client';
import type { Refusal } from '../../api/refusal';
import { Button } from '../../ui/Button';
import { TextField } from '../../ui/Field';
import { ServerForm } from '../../ui/ServerForm';
import { signIn } from './messages';
import { atEmail } from './refusals';
import { SignInLayout } from './SignInLayout';

const route = getRouteApi('/forgot-password');

/** Asks for a code. What follows is the same whether the account exists or not. */
export function ForgotPasswordPage() {
  const { email } = route.useSearch();
  const navigate = route.useNavigate();

  async function submit(fields: Record<string, string>): Promise<Refusal | null> {
    const address = fields.email ?? '';
    const answer = await outcome(open.POST('/v1/auth/forgot-password', { body: { email: address } }));
    if (!answer.ok) return answer.refusal;
    await navigate({ to: '/reset-password', search: { email: address } });
    return null;
  }

  return (
    <SignInLayout
      title={signIn.forgot.title()}
      lead={signIn.forgot.text()}
      under={<Link to="/login">{signIn.forgot.back()}</Link>}
    >
      <ServerForm label={signIn.forgot.title()} onSubmit={submit} explain={atEmail}>
        {({ isPending, isWaiting }) => (
          <>
            <TextField
              name="email"
              type="email"
              label={signIn.form.email()}
              isRequired
              autoFocus
              autoComplete="username"
              defaultValue={email ?? ''}
            />
            <Button type="submit" look="primary" wide isPending={isPending} isDisabled={isWaiting}>
              {signIn.forgot.submit()}
            </Button>
          </>
        )}
      </ServerForm>
    </SignInLayout>
  );
}
