import { useState } from 'react';
import { open, outcome } from '../../api/client';
import type { Refusal } from '../../api/refusal';
import { Button } from '../../ui/Button';
import { Banner } from '../../ui/Feedback';
import { refusalText } from '../../ui/refusalText';
import { keepAttempt } from './attempt';
import { signIn } from './messages';

interface ProviderSignInProps {
  email: string;
  next: string | undefined;
}

interface Choice {
  id: string;
  name: string;
}

/** Leads to the provider by which the members of an organization sign in, which the domain of the address tells. */
export function ProviderSignIn({ email, next }: ProviderSignInProps) {
  const [isPending, setPending] = useState(false);
  const [choices, setChoices] = useState<readonly Choice[]>([]);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [isLocked, setLocked] = useState(false);

  async function begin(provider_id?: string) {
    setPending(true);
    setRefusal(null);
    const body = { email, ...(provider_id === undefined ? {} : { provider_id }) };
    const answer = await outcome(open.POST('/v1/auth/oidc/start', { body }));
    setPending(false);
    if (!answer.ok) return setRefusal(answer.refusal);
    const { redirect_url, attempt_key, providers } = answer.data;
    setChoices(providers);
    if (redirect_url === null || attempt_key === null) return;
    if (keepAttempt({ key: attempt_key, next })) location.assign(redirect_url);
    else setLocked(true);
  }

  return (
    <div className="stack close">
      <Button look="quiet" wide isPending={isPending} onPress={() => void begin()}>
        {signIn.provider.begin()}
      </Button>
      {choices.map(({ id, name }) => (
        <Button key={id} wide isDisabled={isPending} onPress={() => void begin(id)}>
          {name}
        </Button>
      ))}
      {isLocked ? <Banner tone="bad">{signIn.provider.locked()}</Banner> : null}
      {refusal === null ? null : (
        <Banner tone="bad">
          {refusal.kind === 'absent'
            ? signIn.provider.none()
            : email === ''
              ? signIn.provider.needsEmail()
              : refusalText(refusal)}
        </Banner>
      )}
    </div>
  );
}
