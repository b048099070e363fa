import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../../api/refusal';
import type { Grant } from '../../../grants/queries';
import { shared } from '../../../parts/messages';
import { TypedConfirm } from '../../../parts/TypedConfirm';
import { useMe } from '../../../session/me';
import { Button } from '../../../ui/Button';
import { EnvironmentChip } from '../../../ui/Chip';
import { Optional } from '../../../ui/Optional';
import { say } from '../../../ui/say';
import { type Column, Table } from '../../../ui/Table';
import { useNow } from '../../../ui/useNow';
import styles from '../Environments.module.css';
import type { Environment } from '../queries';
import { GrantDialog } from './GrantDialog';
import { grants as words } from './messages';
import { grantsQuery, withdrawGrant } from './queries';

interface GrantsSectionProps {
  projectId: string;
  environments: readonly Environment[];
}

type Open = { kind: 'new' } | { kind: 'edit' | 'withdraw'; grant: Grant } | null;

/** Who may change what without approval, and what is left of it. */
export function GrantsSection({ projectId, environments }: GrantsSectionProps) {
  const { data } = useQuery({ ...grantsQuery(projectId), refetchInterval: 30_000 });
  const [open, setOpen] = useState<Open>(null);
  const now = useNow(60_000);
  const mayGive = useMe().permissions.includes('approvals.review');
  const close = () => setOpen(null);
  if (data === undefined) return null;

  const columns: Column<Grant>[] = [
    { id: 'name', title: words.name(), cell: ({ name }) => name },
    {
      id: 'environment',
      title: words.environment(),
      cell: ({ env_id }) => {
        const found = environments.find(({ id }) => id === env_id);
        return found === undefined ? null : <EnvironmentChip name={found.name} color={found.color} />;
      },
    },
    { id: 'holder', title: words.holder(), cell: ({ holder_name }) => holder_name },
    { id: 'allows', title: words.allows(), cell: words.allowsOf },
    {
      id: 'left',
      title: words.left(),
      cell: grant => (
        <>
          {words.leftOf(grant)}
          {grant.more_at === null ? null : <span className="soft"> {words.more(grant.more_at, now)}</span>}
          {grant.closed === null ? null : <p className="soft">{words.closed(grant.closed.message)}</p>}
        </>
      ),
    },
    {
      id: 'actions',
      title: shared.actions(),
      isTitleHidden: true,
      cell: grant => (
        <span className={styles.actions}>
          <Button
            aria-label={words.editOf(grant.name)}
            isDisabled={!mayGive}
            onPress={() => setOpen({ kind: 'edit', grant })}
          >
            {shared.edit()}
          </Button>
          <Button
            aria-label={words.withdrawOf(grant.name)}
            isDisabled={!mayGive}
            onPress={() => setOpen({ kind: 'withdraw', grant })}
          >
            {words.withdraw()}
          </Button>
        </span>
      ),
    },
  ];

  return (
    <section className="stack" aria-labelledby="grants">
      <div className="row apart">
        <h2 id="grants">{words.title()}</h2>
        <Button isDisabled={!mayGive || environments.length === 0} onPress={() => setOpen({ kind: 'new' })}>
          {words.give()}
        </Button>
      </div>
      <p className="soft">{data.length === 0 ? words.none() : words.lead()}</p>
      {data.length === 0 ? null : (
        <Table label={words.table()} columns={columns} rows={data} rowId={({ id }) => id} />
      )}
      <Optional onClose={close}>
        {open?.kind === 'new' ? (
          <GrantDialog projectId={projectId} environments={environments} onClose={close} />
        ) : null}
        {open?.kind === 'edit' ? (
          <GrantDialog projectId={projectId} environments={environments} grant={open.grant} onClose={close} />
        ) : null}
        {open?.kind === 'withdraw' ? (
          <Withdraw projectId={projectId} grant={open.grant} onClose={close} />
        ) : null}
      </Optional>
    </section>
  );
}

interface WithdrawProps {
  projectId: string;
  grant: Grant;
  onClose: () => void;
}

function Withdraw({ projectId, grant, onClose }: WithdrawProps) {
  const client = useQueryClient();

  async function withdraw(): Promise<Refusal | null> {
    const answer = await withdrawGrant(projectId, grant.id);
    if (!answer.ok && answer.refusal.kind !== 'absent') return answer.refusal;
    say(words.withdrawn(grant.name));
    await client.invalidateQueries({ queryKey: ['grants', projectId] });
    return null;
  }

  return (
    <TypedConfirm
      title={words.withdrawTitle(grant.name)}
      confirm={words.withdrawConfirm()}
      typed={null}
      onConfirm={withdraw}
      onClose={onClose}
    >
      <p>{words.withdrawText(grant.holder_name)}</p>
    </TypedConfirm>
  );
}
