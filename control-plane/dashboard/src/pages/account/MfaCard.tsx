import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { meQuery, useMe } from '../../session/me';
import { PlanCard } from '../../team/PlanCard';
import { Button } from '../../ui/Button';
import { Chip } from '../../ui/Chip';
import { Optional } from '../../ui/Optional';
import { PartLoading } from '../../ui/PartLoading';
import { part } from '../../ui/part';
import { DisableMfa } from './DisableMfa';
import { account } from './messages';
import { mfaQuery } from './queries';

const EnrolMfa = part(() => import('./EnrolMfa'));

/** As the service says it. */
const NEEDS_PRO = 'mfa requires the pro plan';

type Open = 'enrol' | 'disable' | null;

/** The second factor: whether it is on, and the way to change that. */
export function MfaCard() {
  const { features } = useMe();
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(mfaQuery);
  const [open, setOpen] = useState<Open>(null);

  function close() {
    setOpen(null);
    void client.invalidateQueries({ queryKey: mfaQuery.queryKey });
    void client.invalidateQueries({ queryKey: meQuery.queryKey });
  }

  return (
    <section className="card" aria-labelledby="mfa">
      <div className="row">
        <h2 id="mfa">{account.security.mfaTitle()}</h2>
        {data ? (
          <Chip tone={data.enabled ? 'good' : 'plain'}>
            {data.enabled && data.enrolled_at !== null
              ? account.security.onSince(data.enrolled_at)
              : data.enabled
                ? account.security.on()
                : account.security.off()}
          </Chip>
        ) : null}
      </div>
      {data?.enabled === false && !features.mfa ? null : <p className="soft">{account.security.mfaText()}</p>}
      {data === undefined || error ? <PartLoading error={error} height="2.125rem" onRetry={refetch} /> : null}
      {data?.enabled === false && !features.mfa ? <PlanCard message={NEEDS_PRO} /> : null}
      {data?.enabled === false && features.mfa ? (
        <div>
          <Button look="primary" onPress={() => setOpen('enrol')}>
            {account.security.setUp()}
          </Button>
        </div>
      ) : null}
      {data?.enabled ? (
        <div>
          <Button onPress={() => setOpen('disable')}>{account.security.disable()}</Button>
        </div>
      ) : null}
      <Optional onClose={close}>{open === 'enrol' ? <EnrolMfa onClose={close} /> : null}</Optional>
      {open === 'disable' ? <DisableMfa onClose={close} /> : null}
    </section>
  );
}
