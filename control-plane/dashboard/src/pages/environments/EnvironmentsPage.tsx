import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { lazy, Suspense, useMemo, useState } from 'react';
import { Refused } from '../../api/refusal';
import { type Command, useCommands } from '../../frame/commands';
import { environmentsQuery } from '../../frame/environments';
import { usePolling } from '../../frame/Live';
import type { NamedProject } from '../../frame/project';
import { WithProject } from '../../frame/WithProject';
import { t } from '../../messages/en';
import { MayNot, useMay } from '../../parts/MayNot';
import { shared } from '../../parts/messages';
import { PlanLimit, useEnvironmentLimit } from '../../parts/PlanLimit';
import { Button } from '../../ui/Button';
import { Curl } from '../../ui/Curl';
import { Empty, Loading, Skeleton } from '../../ui/Feedback';
import { RefusalPage } from '../../ui/RefusalPage';
import { usePageTitle } from '../../ui/usePageTitle';
import { apiKeys } from '../keys/messages';
import styles from './Environments.module.css';
import { EnvironmentTable } from './EnvironmentTable';
import { environments as words } from './messages';
import type { Environment } from './queries';

const NewEnvironment = lazy(() => import('./NewEnvironment'));
const EditEnvironment = lazy(() => import('./EditEnvironment'));
const DeleteEnvironment = lazy(() => import('./DeleteEnvironment'));

const route = getRouteApi('/framed/p/$project/environments');

export function EnvironmentsPage() {
  const { project } = route.useParams();
  return (
    <WithProject named={project}>{found => <Environments key={found.id} project={found} />}</WithProject>
  );
}

type Open = { kind: 'new' } | { kind: 'edit' | 'delete'; environment: Environment } | null;

function Environments({ project }: { project: NamedProject }) {
  usePageTitle(words.title());
  const list = useQuery({ ...environmentsQuery(project.id), refetchInterval: usePolling() });
  const navigate = useNavigate();
  const [open, setOpen] = useState<Open>(null);
  const limit = useEnvironmentLimit(list.data?.total);
  const mayEdit = useMay('environments.create');
  const mayCreate = mayEdit && limit?.isReached !== true;
  const known = list.data?.data;
  const commands = useMemo<Command[]>(() => {
    const keys = (known ?? []).map<Command>(({ id, name, slug }) => ({
      id: `keys-${id}`,
      title: t.palette.goTo(apiKeys.title(name)),
      section: 'pages',
      run: () =>
        void navigate({
          to: '/p/$project/environments/$env/keys',
          params: { project: project.slug, env: slug },
        }),
    }));
    const create: Command = {
      id: 'create-environment',
      title: words.create(),
      section: 'actions',
      keys: 'c',
      run: () => setOpen({ kind: 'new' }),
    };
    return mayCreate ? [...keys, create] : keys;
  }, [mayCreate, known, project.slug, navigate]);
  useCommands(commands);
  const close = () => setOpen(null);

  if (list.data === undefined && list.error instanceof Refused) {
    return <RefusalPage refusal={list.error.refusal} onRetry={() => void list.refetch()} />;
  }
  const create = (
    <Button look="primary" isDisabled={!mayCreate} onPress={() => setOpen({ kind: 'new' })}>
      <Plus size={16} aria-hidden />
      {words.create()}
    </Button>
  );
  const isEmpty = list.data?.total === 0;
  return (
    <div className={styles.page}>
      <div className="row apart">
        <h1>{words.title()}</h1>
        {isEmpty ? null : create}
      </div>
      <p className="soft">{words.lead()}</p>
      <MayNot permit={mayEdit ? 'environments.delete' : 'environments.create'} />
      <PlanLimit limit={limit} what="environments" />
      {list.data === undefined ? (
        <Loading>
          <Skeleton height="12rem" />
        </Loading>
      ) : isEmpty ? (
        <Empty
          title={words.emptyTitle()}
          action={create}
          api={
            <Curl
              method="POST"
              path={`/v1/projects/${project.id}/environments`}
              body={{ name: 'Development', slug: 'dev' }}
            />
          }
        >
          {words.empty()}
        </Empty>
      ) : (
        <EnvironmentTable
          project={project}
          environments={list.data.data}
          onEdit={environment => setOpen({ kind: 'edit', environment })}
          onDelete={environment => setOpen({ kind: 'delete', environment })}
        />
      )}
      {list.data?.has_more ? (
        <p className="soft">{shared.partOf(list.data.data.length, list.data.total)}</p>
      ) : null}
      <Suspense>
        {open?.kind === 'new' ? (
          <NewEnvironment projectId={project.id} existing={list.data?.data ?? []} onClose={close} />
        ) : null}
        {open?.kind === 'edit' ? (
          <EditEnvironment projectId={project.id} environment={open.environment} onClose={close} />
        ) : null}
        {open?.kind === 'delete' ? (
          <DeleteEnvironment projectId={project.id} environment={open.environment} onClose={close} />
        ) : null}
      </Suspense>
    </div>
  );
}
