import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Environment, Flag } from '../../../api/model';
import { Refused } from '../../../api/refusal';
import { differences } from '../../../diff/differences';
import { Sentences } from '../../../diff/Sentences';
import { useNames } from '../../../diff/useNames';
import { draftOf, type StoredState, useDraft } from '../../../flagState/draft';
import { stateQuery } from '../../../flagState/queries';
import { environmentsQuery } from '../../../frame/environments';
import { usePolling } from '../../../frame/Live';
import { useMe } from '../../../session/me';
import { Button } from '../../../ui/Button';
import { EnvironmentDot } from '../../../ui/Chip';
import { Loading, Skeleton } from '../../../ui/Feedback';
import { Optional } from '../../../ui/Optional';
import { part } from '../../../ui/part';
import { refusalText } from '../../../ui/refusalText';
import { Table } from '../../../ui/Table';
import type { TabProps } from '../tabProps';
import styles from './Environments.module.css';
import { besides } from './messages';
import { summaryOf } from './summary';

const PromoteDialog = part(() => import('../settings/PromoteDialog'));

/** Environments that are read at most: each is a request. */
const MOST = 20;

/** The states of the flag in all environments, with what differs from the one that is open. */
export default function EnvironmentsTab({ project, flag, environment }: TabProps) {
  const me = useMe();
  const { stored } = useDraft();
  const names = useNames(project.id);
  const refetchInterval = usePolling();
  const { data } = useQuery(environmentsQuery(project.id));
  const [target, setTarget] = useState<Environment | null>(null);
  const all = data?.data ?? [];
  const shown = all.slice(0, MOST);
  const states = useQueries({
    queries: shown.map(({ id }) => ({ ...stateQuery(project.id, flag.key, id), refetchInterval })),
  });
  const rows = shown.map((one, place) => ({ environment: one, state: states[place] }));
  const source = 'rules' in stored.state ? stored.state : null;
  const mayPromote = me.permissions.includes('flags.promote') && source !== null;
  const here = { state: draftOf(stored.state) };

  return (
    <div className="stack">
      <p className="soft">{besides.text(environment.name)}</p>
      <Table
        label={besides.title()}
        rowId={row => row.environment.id}
        rows={rows}
        columns={[
          {
            id: 'environment',
            title: besides.environment(),
            cell: row => (
              <Name environment={row.environment} isHere={row.environment.id === environment.id} />
            ),
          },
          {
            id: 'state',
            title: besides.state(),
            cell: row => <OneState flag={flag} stored={row.state?.data} error={row.state?.error ?? null} />,
          },
          {
            id: 'differences',
            title: besides.differences(environment.name),
            cell: row => {
              if (row.environment.id === environment.id)
                return <span className="soft">{besides.here()}</span>;
              if (row.state?.data === undefined) return null;
              const found = differences(here, { state: draftOf(row.state.data.state) }, names);
              return found.length === 0 ? (
                <span className="soft">{besides.same()}</span>
              ) : (
                <div className={styles.differences}>
                  <Sentences sentences={found} />
                </div>
              );
            },
          },
          {
            id: 'promote',
            title: besides.promote(),
            isTitleHidden: true,
            cell: row =>
              row.environment.id === environment.id || !mayPromote ? null : (
                <Button
                  aria-label={besides.promoteTo(environment.name, row.environment.name)}
                  onPress={() => setTarget(row.environment)}
                >
                  {besides.promoteHere()}
                </Button>
              ),
          },
        ]}
      />
      {all.length > shown.length ? <p className="soft">{besides.first(MOST, all.length)}</p> : null}
      <Optional onClose={() => setTarget(null)}>
        {target === null || source === null ? null : (
          <PromoteDialog
            project={project}
            flag={flag}
            environment={environment}
            source={source}
            target={target}
            onClose={() => setTarget(null)}
          />
        )}
      </Optional>
    </div>
  );
}

function Name({ environment, isHere }: { environment: Environment; isHere: boolean }) {
  return (
    <span className={styles.name}>
      <EnvironmentDot color={environment.color} />
      {isHere ? (
        <b>{environment.name}</b>
      ) : (
        <Link from="/p/$project/flags/$key" to="." search={{ env: environment.slug, tab: 'environments' }}>
          {environment.name}
        </Link>
      )}
    </span>
  );
}

interface OneStateProps {
  flag: Flag;
  stored: StoredState | undefined;
  error: Error | null;
}

function OneState({ flag, stored, error }: OneStateProps) {
  if (stored === undefined) {
    return error instanceof Refused ? (
      <span>{refusalText(error.refusal)}</span>
    ) : (
      <Loading>
        <Skeleton height="2.5rem" />
      </Loading>
    );
  }
  return (
    <ul className={styles.summary}>
      {summaryOf(flag, draftOf(stored.state)).map((part, place) => (
        <li key={part}>{place === 0 ? <b>{part}</b> : part}</li>
      ))}
    </ul>
  );
}
