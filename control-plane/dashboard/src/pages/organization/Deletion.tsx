import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { subscriptionQuery } from '../../parts/subscription';
import { usageQuery } from '../../parts/usage';
import type { Me } from '../../session/me';
import { Button } from '../../ui/Button';
import { Banner, Skeleton } from '../../ui/Feedback';
import { useOnline } from '../../ui/useOnline';
import { DeleteDialog } from './DeleteDialog';
import { deletion as words } from './messages';
import styles from './Organization.module.css';
import { lossQuery } from './queries';

/** What ends the organization, and what is lost with it. */
export function Deletion({ me }: { me: Me }) {
  const isOwner = me.role === 'owner' && me.custom_role_id === null;
  return (
    <section className="card" aria-labelledby="deletion">
      <h2 id="deletion">{words.title()}</h2>
      <p>{words.unused()}</p>
      {isOwner ? <ByOwner me={me} /> : <p>{words.owners()}</p>}
    </section>
  );
}

function ByOwner({ me }: { me: Me }) {
  const isOnline = useOnline();
  const [isOpen, setOpen] = useState(false);
  const { data: subscription } = useQuery(subscriptionQuery);
  const isRunning = subscription?.can_manage === true;
  return (
    <>
      <Lost me={me} />
      {isRunning ? (
        <Banner tone="warn" actions={<Link to="/settings/billing">{words.toBilling()}</Link>}>
          {words.running()}
        </Banner>
      ) : null}
      <div>
        <Button
          look="danger"
          isDisabled={subscription === undefined || isRunning || !isOnline}
          onPress={() => setOpen(true)}
        >
          {words.action()}
        </Button>
      </div>
      {isOpen ? <DeleteDialog name={me.organization.name} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function Lost({ me }: { me: Me }) {
  const { data: usage } = useQuery(usageQuery);
  const { data: loss } = useQuery(lossQuery(me.projects.map(({ id }) => id)));
  if (usage === undefined || loss === undefined) return <Skeleton height="8rem" />;
  return (
    <>
      <p>{words.what()}</p>
      <ul className={styles.list}>
        <li>{words.contents(usage.projects_used, usage.environments_used, loss.flags)}</li>
        <li>{words.programs(loss.keysInUse, loss.evaluations)}</li>
        <li>{words.members(usage.seats_used)}</li>
        <li>{words.records()}</li>
      </ul>
      <p>{words.stays()}</p>
    </>
  );
}
