import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useMe } from '../session/me';
import { begin } from '../session/session';
import { signingIn } from '../signIn/messages';
import { SignInForm, type Step } from '../signIn/SignInForm';
import { Button } from '../ui/Button';
import { Dialog } from '../ui/Dialog';
import { toLogin } from './toLogin';

const LEADS: Record<Step, () => string> = {
  password: signingIn.again,
  app: signingIn.mfaText,
  backup: signingIn.backupText,
};

/** Over the page of a session that ended by itself. Its user goes on where they were; anyone else starts at the beginning. */
export default function SignInAgain() {
  const { user, organization } = useMe();
  const router = useRouter();
  const [step, setStep] = useState<Step>('password');
  return (
    <Dialog title={signingIn.againTitle()} isOpen isKept hidesPage onClose={() => {}}>
      <p className="soft">{LEADS[step]()}</p>
      <SignInForm
        label={signingIn.againTitle()}
        email={user.email}
        step={step}
        onStep={setStep}
        onSignedIn={refreshToken => begin(refreshToken, organization.id)}
        below={() => (
          <Button look="quiet" wide onPress={() => toLogin(router, 'ended')}>
            {signingIn.otherWay()}
          </Button>
        )}
      />
    </Dialog>
  );
}
