import { useEffect, useState } from 'react';
import { api, type Outcome, outcome } from '../../api/client';
import type { Refusal } from '../../api/refusal';
import type { components } from '../../api/schema';
import { t } from '../../messages/en';
import { Button } from '../../ui/Button';
import { CopyButton } from '../../ui/CopyButton';
import { Dialog, DialogActions } from '../../ui/Dialog';
import { Banner, Loading, Skeleton } from '../../ui/Feedback';
import { CodeField } from '../../ui/Field';
import { refusalText } from '../../ui/refusalText';
import { ServerForm } from '../../ui/ServerForm';
import { say } from '../../ui/say';
import { signIn } from '../signIn/messages';
import styles from './Account.module.css';
import { account } from './messages';
import { QrCode } from './QrCode';

type Enrolment = components['schemas']['MfaEnrolment'];
type Step = 'scan' | 'codes' | 'verify';

/** Scan, keep the backup codes, enter the first code. The secret leaves memory with this dialog. */
export default function EnrolMfa({ onClose }: { onClose: () => void }) {
  const [answer, setAnswer] = useState<Outcome<Enrolment> | null>(null);
  const [step, setStep] = useState<Step>('scan');

  useEffect(() => {
    let isGone = false;
    void outcome(api.POST('/v1/auth/mfa/enable')).then(given => isGone || setAnswer(given));
    return () => {
      isGone = true;
    };
  }, []);

  if (answer === null || !answer.ok) {
    return (
      <Dialog title={account.security.setUp()} isOpen onClose={onClose}>
        {answer === null ? (
          <Loading>
            <Skeleton height="20rem" />
          </Loading>
        ) : (
          <>
            <Banner tone="bad">{refusalText(answer.refusal)}</Banner>
            <DialogActions>
              <Button onPress={onClose}>{t.common.close()}</Button>
            </DialogActions>
          </>
        )}
      </Dialog>
    );
  }
  const enrolment = answer.data;
  return (
    <Dialog title={TITLES[step]()} isOpen isKept onClose={onClose}>
      <p className="soft small">{account.security.step(STEPS.indexOf(step) + 1, STEPS.length)}</p>
      {step === 'scan' ? (
        <Scan enrolment={enrolment} onNext={() => setStep('codes')} onClose={onClose} />
      ) : null}
      {step === 'codes' ? <Codes codes={enrolment.backup_codes} onNext={() => setStep('verify')} /> : null}
      {step === 'verify' ? <Verify onBack={() => setStep('scan')} onClose={onClose} /> : null}
    </Dialog>
  );
}

const STEPS: readonly Step[] = ['scan', 'codes', 'verify'];
const TITLES: Record<Step, () => string> = {
  scan: account.security.scanTitle,
  codes: account.security.codesTitle,
  verify: account.security.verifyTitle,
};

function Scan({
  enrolment,
  onNext,
  onClose,
}: {
  enrolment: Enrolment;
  onNext: () => void;
  onClose: () => void;
}) {
  return (
    <>
      <p>{account.security.scanText()}</p>
      <QrCode text={enrolment.provisioning_uri} label={account.security.qr()} />
      <p>{account.security.secretText()}</p>
      <code className={styles.secret}>{enrolment.secret}</code>
      <div>
        <CopyButton text={enrolment.secret} label={account.security.copySecret()} />
      </div>
      <DialogActions>
        <Button onPress={onClose}>{t.common.cancel()}</Button>
        <Button look="primary" onPress={onNext}>
          {account.security.next()}
        </Button>
      </DialogActions>
    </>
  );
}

function Codes({ codes, onNext }: { codes: readonly string[]; onNext: () => void }) {
  return (
    <>
      <p>{account.security.codesText()}</p>
      <ul className={styles.codes} aria-label={account.security.codes()}>
        {codes.map(code => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="row">
        <CopyButton text={codes.join('\n')} label={account.security.copyCodes()} />
        <Button onPress={() => download(codes)}>{account.security.download()}</Button>
      </div>
      <DialogActions>
        <Button look="primary" onPress={onNext}>
          {account.security.kept()}
        </Button>
      </DialogActions>
    </>
  );
}

function download(codes: readonly string[]): void {
  const address = URL.createObjectURL(new Blob([`${codes.join('\n')}\n`], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = account.security.downloadName();
  link.click();
  URL.revokeObjectURL(address);
}

function Verify({ onBack, onClose }: { onBack: () => void; onClose: () => void }) {
  const [code, setCode] = useState('');

  async function submit(): Promise<Refusal | null> {
    const answer = await outcome(api.POST('/v1/auth/mfa/verify', { body: { code } }));
    if (!answer.ok) return answer.refusal;
    say(account.security.enabled());
    onClose();
    return null;
  }

  function explain(refusal: Refusal) {
    return refusal.kind === 'invalid' ? { field: 'code', text: account.security.wrongCode() } : null;
  }

  return (
    <ServerForm label={account.security.verifyTitle()} onSubmit={submit} explain={explain}>
      {({ isPending, isWaiting }) => (
        <>
          <p>{account.security.verifyText()}</p>
          <CodeField
            name="code"
            label={signIn.form.code()}
            isRequired
            autoFocus
            value={code}
            onChange={setCode}
          />
          <DialogActions>
            <Button onPress={onBack}>{t.common.back()}</Button>
            <Button type="submit" look="primary" isPending={isPending} isDisabled={isWaiting}>
              {account.security.verify()}
            </Button>
          </DialogActions>
        </>
      )}
    </ServerForm>
  );
}
