import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Refused } from '../../api/refusal';
import { type Command, useCommands } from '../../frame/commands';
import { usePolling } from '../../frame/Live';
import { Button } from '../../ui/Button';
import { Curl } from '../../ui/Curl';
import { Empty, Loading, Skeleton } from '../../ui/Feedback';
import { Optional } from '../../ui/Optional';
import { RefusalPage } from '../../ui/RefusalPage';
import { Select } from '../../ui/Select';
import { useNow } from '../../ui/useNow';
import { usePageTitle } from '../../ui/usePageTitle';
import { AddEdge } from './AddEdge';
import { Edges } from './Edges';
import { type Environments, useEnvironments } from './environmentNames';
import { fleetPage as words } from './messages';
import { Picture } from './Picture';
import { type EdgeList, edgesQuery } from './queries';
import { rowsOf, type View } from './rows';
import { Summary } from './Summary';
import { useFleetLive } from './useFleetLive';
import { WavePanel } from './WavePanel';

const route = getRouteApi('/framed/fleet');

export function FleetPage() {
  usePageTitle(words.title());
  useFleetLive();
  const list = useQuery({ ...edgesQuery, refetchInterval: usePolling() });
  if (list.data === undefined && list.error instanceof Refused) {
    return <RefusalPage refusal={list.error.refusal} />;
  }
  return <Fleet list={list.data} />;
}

function Fleet({ list }: { list: EdgeList | undefined }) {
  const search = route.useSearch();
  const navigate = useNavigate();
  const environments = useEnvironments();
  const now = useNow(1000);
  const [isAdding, setAdding] = useState(false);
  const envId = search.env;
  // Days are counted from it.
  const minute = Math.floor(now / 60_000) * 60_000;
  const rows = useMemo(() => rowsOf(list?.data ?? [], envId, minute), [list, envId, minute]);
  const show = (next: View & { env?: string | undefined }) =>
    void navigate({ to: '/fleet', search: { ...search, ...next } as never, replace: true });
  const commands = useMemo<readonly Command[]>(
    () => [
      { id: 'add-edge', title: words.enroll(), section: 'actions', keys: 'c', run: () => setAdding(true) },
    ],
    [],
  );
  useCommands(commands);
  const isAlone = list?.data.every(({ kind }) => kind === 'built-in') === true;
  const add = (
    <Button look="primary" onPress={() => setAdding(true)}>
      <Plus size={16} aria-hidden />
      {words.enroll()}
    </Button>
  );
  return (
    <div className="page dense">
      <div className="stack close">
        <div className="row apart">
          <h1>{words.title()}</h1>
          <div className="row">
            {list === undefined ? null : (
              <EnvironmentSelect environments={environments} value={envId} onChange={env => show({ env })} />
            )}
            {isAlone ? null : add}
          </div>
        </div>
        <p className="soft">{words.lead()}</p>
      </div>
      {list === undefined ? (
        <Loading>
          <Skeleton height="24rem" />
        </Loading>
      ) : (
        <>
          <Summary rows={rows} environments={environments} now={now} />
          {isAlone ? <OnlyBuiltIn action={add} /> : <Picture rows={rows} />}
          <Edges rows={rows} view={search} envId={envId} now={now} label={environments.label} onView={show} />
          <WavePanel envId={envId} environments={environments} now={now} />
        </>
      )}
      <Optional onClose={() => setAdding(false)}>
        {isAdding && list !== undefined ? <AddEdge list={list} onClose={() => setAdding(false)} /> : null}
      </Optional>
    </div>
  );
}

function OnlyBuiltIn({ action }: { action: React.ReactNode }) {
  return (
    <Empty
      title={words.emptyTitle()}
      action={action}
      api={<Curl method="POST" path="/v1/edges" body={{ name: 'fra-1' }} />}
    >
      {words.empty()}
    </Empty>
  );
}

interface EnvironmentSelectProps {
  environments: Environments;
  value: string | undefined;
  onChange: (id: string | undefined) => void;
}

const ALL = 'all';

function EnvironmentSelect({ environments, value, onChange }: EnvironmentSelectProps) {
  const known = environments.all.map(({ id, label }) => ({ id, label }));
  const isKnown = value === undefined || known.some(({ id }) => id === value);
  const choices = [
    { id: ALL, label: words.allEnvironments() },
    ...known,
    ...(isKnown ? [] : [{ id: value, label: environments.label(value) }]),
  ];
  return (
    <Select
      label={words.environment()}
      isLabelHidden
      choices={choices}
      value={value ?? ALL}
      onChange={id => onChange(id === ALL ? undefined : id)}
    />
  );
}
