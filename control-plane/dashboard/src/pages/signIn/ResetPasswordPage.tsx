import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { open, outcome } from '../../api/client';
import type { Refusal } from '../../api/refusal';
import { sentence } from '../../messages/format';
import { NewPasswordField } from '../../parts/password/NewPasswordField';
import { Button } from '../../ui/Button';
import { Banner } from '../../ui/Feedback';
import { CodeField, TextField } from '../../ui/Field';
import { ServerForm } from '../../ui/ServerForm';
import { signIn } from './messages';
import { SignInLayout } from './SignInLayout';

const route = getRouteApi('/reset-password');

/** Sets a new password by the code that was mailed. */
export function ResetPasswordPage() {
  const { email } = route.useSearch();
  const navigate = route.useNavigate();
  const [code, setCode] = useState('');

  async function submit(fields: Record<string, string>): Promise<Refusal | null> {
    const { email: address = '', new_password = '' } = fields;
    const body = { email: address, otp: code, new_password };
    const answer = await outcome(open.POST('/v1/auth/reset-password', { body }));
    if (!answer.ok) return answer.refusal;
    await navigate({ to: '/login', search: { email: address, reset: true } });
    return null;
  }

  function explain(refusal: Refusal) {
    if (refusal.kind !== 'invalid' || !refusal.message.includes('otp')) return null;
    return { field: 'otp', text: sentence(refusal.message.replace('otp', 'code')) };
  }

  return (
    <SignInLayout
      title={signIn.reset.title()}
      under={
        <Link to="/forgot-password" search={email === undefined ? {} : { email }}>
          {signIn.reset.again()}
        </Link>
      }
    >
      {email === undefined ? null : <Banner tone="note">{signIn.reset.sent()}</Banner>}
      <ServerForm label={signIn.reset.title()} onSubmit={submit} explain={explain}>
        {({ isPending, isWaiting }) => (
          <>
            <TextField
              name="email"
              type="email"
              label={signIn.form.email()}
              isRequired
              autoComplete="username"
              defaultValue={email ?? ''}
            />
            <CodeField name="otp" label={signIn.form.code()} isRequired value={code} onChange={setCode} />
            <NewPasswordField
              name="new_password"
              label={signIn.form.newPassword()}
              about={email === undefined ? [] : [email]}
            />
            <Button type="submit" look="primary" wide isPending={isPending} isDisabled={isWaiting}>
              {signIn.reset.submit()}
            </Button>
          </>
        )}
      </ServerForm>
    </SignInLayout>
  );
}
