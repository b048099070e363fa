import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { NamedProject } from '../../frame/project';
import { useMay } from '../../parts/MayNot';
import { shared } from '../../parts/messages';
import { Button } from '../../ui/Button';
import { Chip, EnvironmentChip } from '../../ui/Chip';
import { type Column, Table } from '../../ui/Table';
import { useNow } from '../../ui/useNow';
import { sortKeys } from '../keys/lifetime';
import { keysQuery } from '../keys/queries';
import styles from './Environments.module.css';
import { environments as words } from './messages';
import type { Environment } from './queries';

interface EnvironmentTableProps {
  project: NamedProject;
  environments: readonly Environment[];
  onEdit: (environment: Environment) => void;
  onSample: (environment: Environment) => void;
  onDelete: (environment: Environment) => void;
}

export function EnvironmentTable({
  project,
  environments,
  onEdit,
  onSample,
  onDelete,
}: EnvironmentTableProps) {
  const now = useNow(60_000);
  const mayEdit = useMay('environments.create');
  const mayDelete = useMay('environments.delete');
  const columns: Column<Environment>[] = [
    {
      id: 'name',
      title: words.environment(),
      cell: ({ name, color }) => <EnvironmentChip name={name} color={color} />,
    },
    {
      id: 'changes',
      title: words.changes(),
      cell: environment =>
        environment.protected ? (
          <Chip tone="warn">{words.guarded(environment.required_approvals)}</Chip>
        ) : (
          <span className="soft">{words.free()}</span>
        ),
    },
    { id: 'slug', title: shared.slug(), cell: ({ slug }) => <code>{slug}</code> },
    {
      id: 'keys',
      title: words.keys(),
      cell: environment => <Keys project={project} environment={environment} now={now} />,
    },
    {
      id: 'created',
      title: words.created_at(),
      cell: ({ created_at }) => <time dateTime={created_at}>{words.ago(created_at, now)}</time>,
    },
    {
      id: 'actions',
      title: shared.actions(),
      isTitleHidden: true,
      cell: environment => (
        <span className={styles.actions}>
          <Button
            aria-label={words.edit(environment.name)}
            isDisabled={!mayEdit}
            onPress={() => onEdit(environment)}
          >
            {shared.edit()}
          </Button>
          <Button aria-label={words.samplingOf(environment.name)} onPress={() => onSample(environment)}>
            {words.sampling()}
          </Button>
          <Button
            aria-label={words.deleteOf(environment.name)}
            isDisabled={!mayDelete}
            onPress={() => onDelete(environment)}
          >
            {words.delete()}
          </Button>
        </span>
      ),
    },
  ];
  return <Table label={words.table()} columns={columns} rows={environments} rowId={({ id }) => id} />;
}

interface KeysProps {
  project: NamedProject;
  environment: Environment;
  now: number;
}

function Keys({ project, environment, now }: KeysProps) {
  const { data } = useQuery({ ...keysQuery(environment.id), staleTime: 60_000 });
  return (
    <Link to="/p/$project/environments/$env/keys" params={{ project: project.slug, env: environment.slug }}>
      {data === undefined
        ? words.keys()
        : words.keyCount(sortKeys(data.items, now).live.length, data.total > data.items.length)}
      <span className="hidden"> {words.ofEnvironment(environment.name)}</span>
    </Link>
  );
}
