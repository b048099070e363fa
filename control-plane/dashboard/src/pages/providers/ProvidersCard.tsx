import { Plus } from 'lucide-react';
import { shared } from '../../parts/messages';
import { Button } from '../../ui/Button';
import { type Column, Table } from '../../ui/Table';
import { Value } from '../../ui/Value';
import { providers as words } from './messages';
import styles from './Providers.module.css';
import type { Open } from './ProvidersPage';
import type { Provider } from './queries';

interface ProvidersCardProps {
  providers: readonly Provider[];
  mayWrite: boolean;
  onOpen: (open: Open) => void;
}

/** The providers by which members sign in. */
export function ProvidersCard({ providers, mayWrite, onOpen }: ProvidersCardProps) {
  const columns: Column<Provider>[] = [
    {
      id: 'provider',
      title: words.provider(),
      cell: ({ name, issuer }) => (
        <span className={styles.name}>
          <Value>{name}</Value>
          <Value className="soft small">{issuer}</Value>
        </span>
      ),
    },
    {
      id: 'client',
      title: words.client(),
      cell: ({ client_id, has_secret }) => (
        <span className={styles.name}>
          <Value>{client_id}</Value>
          <span className="soft small">{has_secret ? words.withSecret() : words.publicClient()}</span>
        </span>
      ),
    },
    {
      id: 'members',
      title: words.newMembers(),
      cell: ({ provisions_members, default_role }) =>
        provisions_members ? words.made(default_role) : words.invited(),
    },
    { id: 'roles', title: words.roles(), cell: provider => <Roles provider={provider} /> },
    {
      id: 'actions',
      title: shared.actions(),
      isTitleHidden: true,
      cell: provider => (
        <div className="row">
          <Button
            aria-label={words.editOf(provider.name)}
            isDisabled={!mayWrite}
            onPress={() => onOpen({ kind: 'provider', stored: provider })}
          >
            {shared.edit()}
          </Button>
          <Button
            aria-label={words.removeOf(provider.name)}
            isDisabled={!mayWrite}
            onPress={() => onOpen({ kind: 'removeProvider', provider })}
          >
            {words.remove()}
          </Button>
        </div>
      ),
    },
  ];
  return (
    <section className="card" aria-labelledby="providers">
      <div className="row apart">
        <h2 id="providers">{words.list()}</h2>
        <Button
          look={providers.length === 0 ? 'primary' : 'secondary'}
          isDisabled={!mayWrite}
          onPress={() => onOpen({ kind: 'provider', stored: null })}
        >
          <Plus size={16} aria-hidden />
          {words.add()}
        </Button>
      </div>
      <p className="soft">{providers.length === 0 ? words.none() : words.listText()}</p>
      {providers.length === 0 ? null : (
        <Table label={words.list()} columns={columns} rows={providers} rowId={({ id }) => id} />
      )}
    </section>
  );
}

function Roles({ provider: { role_claim, role_mappings, default_role } }: { provider: Provider }) {
  if (role_claim === null) return words.keptHere();
  return (
    <span className={styles.name}>
      <Value>{words.claimed(role_claim, role_mappings.length)}</Value>
      <span className="soft small">{words.otherwise(default_role)}</span>
    </span>
  );
}
