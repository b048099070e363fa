import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import type { Command } from '../../frame/commands';
import { environmentsQuery } from '../../frame/environments';
import { usePolling } from '../../frame/Live';
import type { NamedProject } from '../../frame/project';
import { WithProject } from '../../frame/WithProject';
import { t } from '../../messages/en';
import { ListPage } from '../../parts/ListPage';
import { useMay } from '../../parts/MayNot';
import { shared } from '../../parts/messages';
import { PlanLimit, useEnvironmentLimit } from '../../parts/PlanLimit';
import { useMe } from '../../session/me';
import { Optional } from '../../ui/Optional';
import { part } from '../../ui/part';
import { usePageTitle } from '../../ui/usePageTitle';
import { apiKeys } from '../keys/messages';
import { DeleteEnvironment } from './DeleteEnvironment';
import { EditEnvironment } from './EditEnvironment';
import { EnvironmentTable } from './EnvironmentTable';
import { GrantsSection } from './grants/GrantsSection';
import { environments as words } from './messages';
import { NewEnvironment } from './NewEnvironment';
import type { Environment } from './queries';

const SamplingDialog = part(() => import('../../whatIf/SamplingDialog'));

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
  const { sampling } = route.useSearch();
  const limit = useEnvironmentLimit(list.data?.total);
  const mayEdit = useMay('environments.create');
  const mayReadGrants = useMe().permissions.includes('approvals.read');
  const mayCreate = mayEdit && limit?.isReached !== true;
  const known = list.data?.data;
  const commands = useMemo(
    () =>
      (known ?? []).map<Command>(({ id, name, slug }) => ({
        id: `keys-${id}`,
        title: t.palette.goTo(apiKeys.title(name)),
        section: 'pages',
        run: () =>
          void navigate({
            to: '/p/$project/environments/$env/keys',
            params: { project: project.slug, env: slug },
          }),
      })),
    [known, project.slug, navigate],
  );
  const create = useCallback(() => setOpen({ kind: 'new' }), []);
  const close = () => setOpen(null);
  const sampled = known?.find(({ slug }) => slug === sampling);
  const sample = (environment: Environment | null) =>
    void navigate({
      to: '/p/$project/environments',
      params: { project: project.slug },
      search: environment === null ? {} : { sampling: environment.slug },
      replace: true,
    });

  return (
    <>
      <ListPage
        title={words.title()}
        lead={words.lead()}
        permit={mayEdit ? 'environments.delete' : 'environments.create'}
        notice={<PlanLimit limit={limit} what="environments" />}
        list={{ ...list, isLoaded: known !== undefined }}
        create={{ id: 'create-environment', label: words.create(), isAllowed: mayCreate, run: create }}
        commands={commands}
        empty={{
          isEmpty: list.data?.total === 0,
          title: words.emptyTitle(),
          text: words.empty(),
          request: {
            method: 'POST',
            path: `/v1/projects/${project.id}/environments`,
            body: { name: 'Development', slug: 'dev' },
          },
        }}
        footer={
          list.data?.has_more ? (
            <p className="soft">{shared.partOf(list.data.data.length, list.data.total)}</p>
          ) : null
        }
      >
        <EnvironmentTable
          project={project}
          environments={known ?? []}
          onEdit={environment => setOpen({ kind: 'edit', environment })}
          onSample={sample}
          onDelete={environment => setOpen({ kind: 'delete', environment })}
        />
      </ListPage>
      {known !== undefined && mayReadGrants ? (
        <GrantsSection projectId={project.id} environments={known} />
      ) : null}
      <Optional onClose={() => sample(null)}>
        {sampled === undefined ? null : (
          <SamplingDialog projectId={project.id} environment={sampled} onClose={() => sample(null)} />
        )}
      </Optional>
      <Optional onClose={close}>
        {open?.kind === 'new' ? (
          <NewEnvironment projectId={project.id} existing={list.data?.data ?? []} onClose={close} />
        ) : null}
        {open?.kind === 'edit' ? (
          <EditEnvironment projectId={project.id} environment={open.environment} onClose={close} />
        ) : null}
        {open?.kind === 'delete' ? (
          <DeleteEnvironment projectId={project.id} environment={open.environment} onClose={close} />
        ) : null}
      </Optional>
    </>
  );
}
