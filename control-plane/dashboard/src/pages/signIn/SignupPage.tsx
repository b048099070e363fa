import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { open, outcome } from '../../api/client';
import type { Refusal } from '../../api/refusal';
import { sentence } from '../../messages/format';
import { NewPasswordField } from '../../parts/password/NewPasswordField';
import { useSecondsLeft } from '../../session/countdown';
import { begin } from '../../session/session';
import { Button } from '../../ui/Button';
import { CodeField, PasswordField, TextField } from '../../ui/Field';
import { refusalText } from '../../ui/refusalText';
import { ServerForm } from '../../ui/ServerForm';
import { say, warn } from '../../ui/say';
import { signIn } from './messages';
import { atEmail } from './refusals';
import { SignInLayout } from './SignInLayout';

const route = getRouteApi('/signup');

/** Seconds between two codes, unless the service says otherwise. */
const RESEND_AFTER = 60;

/**
 * The form, then the code that was mailed. The second step has its own address, so a reload keeps it. The password goes with the
 * code, so that no account begins with that of somebody else who signs up with this address; a reload asks for it again.
 */
export function SignupPage() {
  const { email, step } = route.useSearch();
  const [password, setPassword] = useState<string>();
  return step === 'code' && email !== undefined ? (
    <CodeStep email={email} password={password} />
  ) : (
    <DetailsStep onBegun={setPassword} />
  );
}

function DetailsStep({ onBegun }: { onBegun: (password: string) => void }) {
  const { email, invited } = route.useSearch();
  const navigate = route.useNavigate();
  const isInvited = invited === 1 && email !== undefined;
  const [name, setName] = useState('');
  const [address, setAddress] = useState(email ?? '');

  async function submit(fields: Record<string, string>): Promise<Refusal | null> {
    const missing = missingOf(fields);
    if (missing !== null) return missing;
    // An invitation leads into the organization of others, so the form has no field for one of their own.
    const body = fields as { name: string; email: string; password: string; org_name?: string };
    const answer = await outcome(open.POST('/v1/auth/initiate-signup', { body }));
    if (!answer.ok) return answer.refusal;
    onBegun(body.password);
    await navigate({ search: { email: body.email, step: 'code', ...(isInvited ? { invited: 1 } : {}) } });
    return null;
  }

  function explain(refusal: Refusal) {
    if (refusal.kind !== 'conflict') return atEmail(refusal);
    return {
      text: signIn.signup.taken(),
      action: <Link to="/login">{signIn.signup.signInInstead()}</Link>,
    };
  }

  return (
    <SignInLayout
      title={isInvited ? signIn.signup.invitedTitle() : signIn.signup.title()}
      lead={isInvited ? signIn.signup.invited() : signIn.signup.trial()}
      under={
        <>
          {signIn.signup.have()} <Link to="/login">{signIn.signup.signIn()}</Link>
        </>
      }
    >
      <ServerForm label={signIn.signup.title()} onSubmit={submit} explain={explain}>
        {({ isPending, isWaiting }) => (
          <>
            <TextField
              name="name"
              label={signIn.form.name()}
              isRequired
              autoComplete="name"
              maxLength={255}
              autoFocus
              onChange={setName}
            />
            <TextField
              name="email"
              type="email"
              label={signIn.form.email()}
              isRequired
              isReadOnly={isInvited}
              autoComplete="username"
              defaultValue={email ?? ''}
              onChange={setAddress}
            />
            <NewPasswordField name="password" label={signIn.form.password()} about={[name, address]} />
            {isInvited ? null : (
              <TextField
                name="org_name"
                label={signIn.form.organization()}
                isRequired
                autoComplete="organization"
                maxLength={255}
              />
            )}
            <Button type="submit" look="primary" wide isPending={isPending} isDisabled={isWaiting}>
              {signIn.signup.submit()}
            </Button>
          </>
        )}
      </ServerForm>
    </SignInLayout>
  );
}

const MISSING: readonly (readonly [string, () => string])[] = [
  ['name', signIn.signup.nameMissing],
  ['email', signIn.signup.emailMissing],
  ['password', signIn.signup.passwordMissing],
  ['org_name', signIn.signup.organizationMissing],
];

/** The first field that is empty: the service would name all of them in one sentence, above the form. */
function missingOf(fields: Record<string, string>): Refusal | null {
  const found = MISSING.find(([field]) => fields[field]?.trim() === '');
  return found === undefined ? null : { kind: 'invalid', field: found[0], message: found[1]() };
}

function CodeStep({ email, password }: { email: string; password: string | undefined }) {
  const { invited } = route.useSearch();
  const router = useRouter();
  const [code, setCode] = useState('');

  async function submit(fields: Record<string, string>): Promise<Refusal | null> {
    const body = { email, otp: code, password: password ?? fields.password ?? '' };
    const answer = await outcome(open.POST('/v1/auth/complete-signup', { body }));
    if (!answer.ok) return answer.refusal;
    const refused = await begin(answer.data.tokens.refresh_token);
    if (refused === null) router.history.push(invited === 1 ? '/' : '/onboarding');
    return refused;
  }

  function explain(refusal: Refusal) {
    if (refusal.kind !== 'invalid' || !refusal.message.includes('otp')) return null;
    return { field: 'otp', text: sentence(refusal.message.replace('otp', 'code')) };
  }

  return (
    <SignInLayout title={signIn.signup.codeTitle()} lead={signIn.signup.codeText(email)}>
      <ServerForm label={signIn.signup.codeTitle()} onSubmit={submit} explain={explain}>
        {({ isPending, isWaiting }) => (
          <>
            <CodeField
              name="otp"
              label={signIn.form.code()}
              isRequired
              autoFocus
              value={code}
              onChange={setCode}
            />
            {password === undefined && (
              <PasswordField
                name="password"
                label={signIn.form.password()}
                isRequired
                autoComplete="current-password"
              />
            )}
            <Button type="submit" look="primary" wide isPending={isPending} isDisabled={isWaiting}>
              {signIn.signup.confirm()}
            </Button>
          </>
        )}
      </ServerForm>
      <div className="row apart">
        <Resend email={email} />
        <Link to="/signup" search={{ email, ...(invited === 1 ? { invited } : {}) }}>
          {signIn.signup.change()}
        </Link>
      </div>
    </SignInLayout>
  );
}

function Resend({ email }: { email: string }) {
  const [until, setUntil] = useState(() => Date.now() + RESEND_AFTER * 1000);
  const [isPending, setPending] = useState(false);
  const left = useSecondsLeft(until);

  async function resend() {
    setPending(true);
    const answer = await outcome(open.POST('/v1/auth/resend-signup-otp', { body: { email } }));
    setPending(false);
    if (answer.ok) {
      say(signIn.signup.resent());
      setUntil(Date.now() + RESEND_AFTER * 1000);
      return;
    }
    warn(refusalText(answer.refusal));
    if (answer.refusal.kind === 'wait') {
      setUntil(Date.now() + (answer.refusal.seconds ?? RESEND_AFTER) * 1000);
    }
  }

  return (
    <Button look="quiet" isPending={isPending} isDisabled={left > 0} onPress={resend}>
      {left > 0 ? signIn.signup.resendIn(left) : signIn.signup.resend()}
    </Button>
  );
}
