import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Refusal } from '../../api/refusal';
import { MayNot } from '../../parts/MayNot';
import { usageQuery } from '../../parts/usage';
import { type Me, meQuery, useMe } from '../../session/me';
import { Button, buttonClass } from '../../ui/Button';
import { CopyButton } from '../../ui/CopyButton';
import { Skeleton } from '../../ui/Feedback';
import { TextField } from '../../ui/Field';
import { ServerForm } from '../../ui/ServerForm';
import { say } from '../../ui/say';
import { usePageTitle } from '../../ui/usePageTitle';
import { Value } from '../../ui/Value';
import { Deletion } from './Deletion';
import { organization as words } from './messages';
import styles from './Organization.module.css';
import { renameOrganization } from './queries';

/** What the organization is, and what ends it. */
export function OrganizationPage() {
  usePageTitle(words.title());
  const me = useMe();
  return (
    <div className="page">
      <h1>{words.title()}</h1>
      <MayNot permit="billing.manage" />
      <General me={me} />
      <Plan me={me} />
      <Deletion me={me} />
    </div>
  );
}

function General({ me }: { me: Me }) {
  const { id, name, slug, created_at } = me.organization;
  const mayRename = me.permissions.includes('billing.manage');
  return (
    <section className="card" aria-labelledby="general">
      <h2 id="general">{words.general()}</h2>
      {mayRename ? <Name key={name} name={name} /> : null}
      <dl className="facts">
        {mayRename ? null : (
          <>
            <dt>{words.name()}</dt>
            <dd>
              <Value>{name}</Value>
            </dd>
          </>
        )}
        <dt>{words.slug()}</dt>
        <dd>
          <code>{slug}</code>
          <p className="soft small">{words.slugText()}</p>
        </dd>
        <dt>{words.id()}</dt>
        <dd className="row" style={{ flexWrap: 'nowrap' }}>
          <code>{id}</code>
          <CopyButton isSmall text={id} label={words.copyId()} />
        </dd>
        <dt>{words.region()}</dt>
        <dd>
          <code>{me.data_region}</code>
          <p className="soft small">{words.regionText()}</p>
        </dd>
        <dt>{words.since()}</dt>
        <dd>{words.date(created_at)}</dd>
      </dl>
    </section>
  );
}

function Name({ name }: { name: string }) {
  const client = useQueryClient();
  const [typed, setTyped] = useState(name);

  async function submit(): Promise<Refusal | null> {
    const answer = await renameOrganization(typed.trim());
    if (!answer.ok) return answer.refusal;
    say(words.saved());
    await client.invalidateQueries({ queryKey: meQuery.queryKey });
    return null;
  }

  return (
    <div className={styles.name}>
      <ServerForm label={words.general()} onSubmit={submit}>
        {({ isPending, isWaiting }) => (
          <>
            <TextField
              name="name"
              label={words.name()}
              description={words.nameText()}
              isRequired
              autoComplete="organization"
              value={typed}
              onChange={setTyped}
            />
            <div>
              <Button
                type="submit"
                look="primary"
                isPending={isPending}
                isDisabled={isWaiting || typed.trim() === name}
              >
                {words.save()}
              </Button>
            </div>
          </>
        )}
      </ServerForm>
    </div>
  );
}

function Plan({ me }: { me: Me }) {
  const { plan, trial_expires_at } = me.organization;
  const mayRead = me.permissions.includes('billing.read');
  const { data } = useQuery({ ...usageQuery, enabled: mayRead });
  return (
    <section className="card" aria-labelledby="plan">
      <h2 id="plan">{words.planTitle()}</h2>
      <dl className="facts">
        <dt>{words.plan()}</dt>
        <dd>
          {plan === 'trial' && trial_expires_at !== null
            ? words.trialEnds(trial_expires_at)
            : words.planName(plan)}
        </dd>
        {data === undefined ? null : (
          <>
            <dt>{words.seats()}</dt>
            <dd>{words.used(data.seats_used, data.seats_limit)}</dd>
            <dt>{words.projects()}</dt>
            <dd>{words.used(data.projects_used, data.projects_limit)}</dd>
            <dt>{words.environments()}</dt>
            <dd>{words.usedPerProject(data.environments_used, data.environments_limit)}</dd>
          </>
        )}
      </dl>
      {mayRead && data === undefined ? <Skeleton height="4.5rem" /> : null}
      {mayRead ? (
        <div>
          <Link to="/settings/billing" className={buttonClass()}>
            {words.toBilling()}
          </Link>
        </div>
      ) : null}
    </section>
  );
}
