import { Plus } from 'lucide-react';
import { shared } from '../../parts/messages';
import { Button } from '../../ui/Button';
import { Chip } from '../../ui/Chip';
import { CopyButton } from '../../ui/CopyButton';
import { type Column, Table } from '../../ui/Table';
import { Value } from '../../ui/Value';
import { CheckDomain } from './CheckDomain';
import { domains as words } from './messages';
import styles from './Providers.module.css';
import type { Open } from './ProvidersPage';
import type { Domain } from './queries';

interface DomainsCardProps {
  domains: readonly Domain[];
  mayWrite: boolean;
  onOpen: (open: Open) => void;
}

/** The domains whose addresses providers vouch for, and what proves those that are not proven yet. */
export function DomainsCard({ domains, mayWrite, onOpen }: DomainsCardProps) {
  const columns: Column<Domain>[] = [
    { id: 'domain', title: words.domain(), cell: ({ domain }) => <Value>{domain}</Value> },
    { id: 'state', title: words.state(), cell: ({ proven_at }) => <State provenAt={proven_at} /> },
    {
      id: 'record',
      title: words.record(),
      cell: domain =>
        domain.proven_at === null ? (
          <div className="stack close">
            <TextRecord domain={domain} />
            <CheckDomain domain={domain} mayWrite={mayWrite} />
          </div>
        ) : (
          <span className="soft">{words.recordDone()}</span>
        ),
    },
    {
      id: 'actions',
      title: shared.actions(),
      isTitleHidden: true,
      cell: domain => (
        <Button
          aria-label={words.removeOf(domain.domain)}
          isDisabled={!mayWrite}
          onPress={() => onOpen({ kind: 'removeDomain', domain })}
        >
          {words.remove()}
        </Button>
      ),
    },
  ];
  return (
    <section className="card" aria-labelledby="domains">
      <div className="row apart">
        <h2 id="domains">{words.title()}</h2>
        <Button isDisabled={!mayWrite} onPress={() => onOpen({ kind: 'domain' })}>
          <Plus size={16} aria-hidden />
          {words.add()}
        </Button>
      </div>
      <p className="soft">{words.text()}</p>
      {domains.length === 0 ? (
        <p>{words.none()}</p>
      ) : (
        <Table label={words.title()} columns={columns} rows={domains} rowId={({ id }) => id} />
      )}
    </section>
  );
}

function State({ provenAt }: { provenAt: string | null }) {
  if (provenAt === null) return <Chip tone="warn">{words.unproven()}</Chip>;
  return (
    <span className="row">
      <Chip tone="good">{words.proven()}</Chip>
      <time className="soft small" dateTime={provenAt}>
        {words.since(provenAt)}
      </time>
    </span>
  );
}

function TextRecord({ domain: { domain, record_name, record_value } }: { domain: Domain }) {
  return (
    <div className={styles.record}>
      <span className="soft small">{words.recordName()}</span>
      <code>{record_name}</code>
      <span>
        <CopyButton isSmall text={record_name} label={words.copyName(domain)} />
      </span>
      <span className="soft small">{words.recordValue()}</span>
      <code>{record_value}</code>
      <span>
        <CopyButton isSmall text={record_value} label={words.copyValue(domain)} />
      </span>
    </div>
  );
}
