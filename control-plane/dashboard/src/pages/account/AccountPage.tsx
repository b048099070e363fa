import { useQueryClient } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { api, outcome } from '../../api/client';
import { themeName } from '../../frame/AccountMenu';
import { THEMES, type Theme, useSingleKeys, useTheme } from '../../frame/preferences';
import { t } from '../../messages/en';
import { roleName } from '../../parts/messages';
import { type Me, useMe } from '../../session/me';
import { switchOrganization } from '../../session/session';
import { Button, buttonClass } from '../../ui/Button';
import { Chip } from '../../ui/Chip';
import { refusalText } from '../../ui/refusalText';
import { Select } from '../../ui/Select';
import { Switch } from '../../ui/Switch';
import { say, warn } from '../../ui/say';
import { usePageTitle } from '../../ui/usePageTitle';
import styles from './Account.module.css';
import { account } from './messages';
import { NameForm } from './NameForm';
import { PasswordCard } from './PasswordCard';

export function AccountPage() {
  const me = useMe();
  usePageTitle(account.accountPage.title());
  return (
    <div className="page">
      <h1>{account.accountPage.title()}</h1>
      <You me={me} />
      <PasswordCard />
      <OrganizationCard me={me} />
      {me.organizations.length > 1 ? <Organizations me={me} /> : null}
      <Appearance />
    </div>
  );
}

function You({ me }: { me: Me }) {
  const { name, email, email_verified, created_at } = me.user;
  return (
    <section className="card" aria-labelledby="you">
      <h2 id="you">{account.accountPage.you()}</h2>
      <NameForm key={name} name={name} />
      <dl className="facts">
        <dt>{account.accountPage.email()}</dt>
        <dd className="row">
          {email}
          <Chip tone={email_verified ? 'good' : 'warn'}>
            {email_verified ? account.accountPage.verified() : account.accountPage.unverified()}
          </Chip>
        </dd>
        <dt>{account.accountPage.since()}</dt>
        <dd>{account.accountPage.sinceDate(created_at)}</dd>
      </dl>
      {email_verified ? null : <SendVerification />}
    </section>
  );
}

function SendVerification() {
  const [isPending, setPending] = useState(false);

  async function send() {
    setPending(true);
    const answer = await outcome(api.POST('/v1/auth/send-verification-email'));
    setPending(false);
    if (answer.ok) say(account.accountPage.verificationSent());
    else warn(refusalText(answer.refusal));
  }

  return (
    <div>
      <Button isPending={isPending} onPress={send}>
        {account.accountPage.sendVerification()}
      </Button>
    </div>
  );
}

function OrganizationCard({ me }: { me: Me }) {
  const { name, plan, trial_expires_at } = me.organization;
  return (
    <section className="card" aria-labelledby="organization">
      <h2 id="organization">{account.accountPage.organizationTitle()}</h2>
      <dl className="facts">
        <dt>{account.accountPage.organization()}</dt>
        <dd>{name}</dd>
        <dt>{account.accountPage.role()}</dt>
        <dd>{roleName(me.role)}</dd>
        <dt>{account.accountPage.plan()}</dt>
        <dd>
          {plan === 'trial' && trial_expires_at !== null
            ? account.accountPage.trialEnds(trial_expires_at)
            : account.accountPage.planName(plan)}
        </dd>
      </dl>
      <div>
        <Link to="/settings/organization" className={buttonClass()}>
          {account.accountPage.toOrganization()}
        </Link>
      </div>
    </section>
  );
}

function Organizations({ me }: { me: Me }) {
  const client = useQueryClient();
  const router = useRouter();
  const [switching, setSwitching] = useState<string | null>(null);

  async function switchTo(id: string) {
    setSwitching(id);
    const refusal = await switchOrganization(id);
    setSwitching(null);
    if (refusal !== null) {
      warn(refusalText(refusal));
      return;
    }
    client.clear();
    router.history.push('/');
  }

  return (
    <section className="card" aria-labelledby="organizations">
      <h2 id="organizations">{account.accountPage.others()}</h2>
      <ul className={styles.lines}>
        {me.organizations.map(({ id, name, role }) => (
          <li key={id}>
            <span>
              {name} <span className="soft">{roleName(role)}</span>
            </span>
            {id === me.organization.id ? (
              <Chip>{account.accountPage.current()}</Chip>
            ) : (
              <Button isPending={switching === id} onPress={() => void switchTo(id)}>
                {account.accountPage.switchTo(name)}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Appearance() {
  const [theme, setTheme] = useTheme();
  const [isOn, setOn] = useSingleKeys();
  return (
    <section className="card" aria-labelledby="appearance">
      <h2 id="appearance">{account.accountPage.appearance()}</h2>
      <div className="row">
        <Select
          label={t.frame.theme()}
          choices={THEMES.map(id => ({ id, label: themeName(id) }))}
          value={theme}
          onChange={id => setTheme(id as Theme)}
        />
      </div>
      <h3>{account.accountPage.keyboard()}</h3>
      <p className="soft">{account.accountPage.keyboardText()}</p>
      <Switch label={t.frame.singleKeys()} isOn={isOn} onChange={setOn} />
    </section>
  );
}
