import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { Fragment, lazy, Suspense, useMemo, useState } from 'react';
import { Refused } from '../../api/refusal';
import { type Command, useCommands } from '../../frame/commands';
import { environmentsQuery } from '../../frame/environments';
import { Gone } from '../../frame/Gone';
import { usePolling } from '../../frame/Live';
import type { NamedProject } from '../../frame/project';
import { WithProject } from '../../frame/WithProject';
import { MayNot, useMay } from '../../parts/MayNot';
import { shared } from '../../parts/messages';
import { Button } from '../../ui/Button';
import { EnvironmentDot } from '../../ui/Chip';
import { Curl } from '../../ui/Curl';
import { Empty, Loading, Skeleton } from '../../ui/Feedback';
import { RefusalPage } from '../../ui/RefusalPage';
import { useNow } from '../../ui/useNow';
import { usePageTitle } from '../../ui/usePageTitle';
import { environments } from '../environments/messages';
import type { Environment } from '../environments/queries';
import { KeyShown } from './KeyShown';
import styles from './Keys.module.css';
import { EndedKeyTable, KeyTable } from './KeyTable';
import { countdownOf, sortKeys } from './lifetime';
import { apiKeys as words } from './messages';
import { type ApiKey, firstFlagQuery, keysQuery, TYPES } from './queries';

const NewKey = lazy(() => import('./NewKey'));
const RotateKey = lazy(() => import('./RotateKey'));
const RevokeKey = lazy(() => import('./RevokeKey'));

const route = getRouteApi('/framed/p/$project/environments/$env/keys');

export function KeysPage() {
  const { project } = route.useParams();
  return <WithProject named={project}>{found => <Page key={found.id} project={found} />}</WithProject>;
}

function Page({ project }: { project: NamedProject }) {
  const { env } = route.useParams();
  const list = useQuery(environmentsQuery(project.id));
  if (list.data === undefined) {
    return list.error instanceof Refused ? (
      <RefusalPage refusal={list.error.refusal} onRetry={() => void list.refetch()} />
    ) : (
      <Loading>
        <Skeleton height="60dvh" />
      </Loading>
    );
  }
  const environment = list.data.data.find(({ id, slug }) => slug === env || id === env);
  if (environment === undefined) return <Gone kind="environment" named={env} projectId={project.id} />;
  return <Keys key={environment.id} project={project} environment={environment} />;
}

type Open =
  | { kind: 'new' }
  | { kind: 'rotate' | 'revoke'; apiKey: ApiKey }
  | { kind: 'shown'; text: string }
  | null;

function Keys({ project, environment }: { project: NamedProject; environment: Environment }) {
  usePageTitle(words.title(environment.name));
  const { ended: areEndedShown = false } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useQuery({ ...keysQuery(environment.id), refetchInterval: usePolling() });
  const flag = useQuery(firstFlagQuery(project.id));
  const mayChange = useMay('api_keys.manage');
  const [open, setOpen] = useState<Open>(null);
  const items = list.data?.items ?? [];
  const isCounting = items.some(key => countdownOf(key, Date.now()) !== null);
  const now = useNow(isCounting ? 1000 : 30_000);
  const commands = useMemo<Command[]>(
    () =>
      mayChange
        ? [
            {
              id: 'create-key',
              title: words.create(),
              section: 'actions',
              keys: 'c',
              run: () => setOpen({ kind: 'new' }),
            },
          ]
        : [],
    [mayChange],
  );
  useCommands(commands);
  const close = () => setOpen(null);
  const show = (text: string) => setOpen({ kind: 'shown', text });

  if (list.data === undefined && list.error instanceof Refused) {
    return <RefusalPage refusal={list.error.refusal} onRetry={() => void list.refetch()} />;
  }
  const { live, ended } = sortKeys(items, now);
  const create = (
    <Button look="primary" isDisabled={!mayChange} onPress={() => setOpen({ kind: 'new' })}>
      <Plus size={16} aria-hidden />
      {words.create()}
    </Button>
  );
  const isEmpty = list.data !== undefined && live.length === 0;
  return (
    <div className={styles.page}>
      <div className="stack close">
        <Link to="/p/$project/environments" params={{ project: project.slug }}>
          {environments.back()}
        </Link>
        <div className="row apart">
          <div className="row" style={{ flexWrap: 'nowrap' }}>
            <EnvironmentDot color={environment.color} />
            <h1>{words.title(environment.name)}</h1>
          </div>
          {isEmpty ? null : create}
        </div>
      </div>
      <p className="soft">{words.lead()}</p>
      <MayNot permit="api_keys.manage" />
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
              path={`/v1/environments/${environment.id}/api-keys`}
              body={{ name: 'shop', type: 'server' }}
            />
          }
        >
          {words.empty()}
        </Empty>
      ) : (
        <KeyTable
          keys={live}
          now={now}
          mayChange={mayChange}
          onRotate={apiKey => setOpen({ kind: 'rotate', apiKey })}
          onRevoke={apiKey => setOpen({ kind: 'revoke', apiKey })}
        />
      )}
      <dl className={styles.types}>
        {TYPES.map(type => (
          <Fragment key={type}>
            <dt>{words.typeName(type)}</dt>
            <dd className="soft">{words.typeText(type)}</dd>
          </Fragment>
        ))}
      </dl>
      <p className="soft">{words.sameRights()}</p>
      {list.data !== undefined && list.data.total > items.length ? (
        <p className="soft">{shared.partOf(items.length, list.data.total)}</p>
      ) : null}
      {ended.length === 0 ? null : (
        <div className="stack close">
          <div>
            <Button
              aria-expanded={areEndedShown}
              onPress={() => void navigate({ search: areEndedShown ? {} : { ended: true }, replace: true })}
            >
              {areEndedShown ? words.hideEnded() : words.showEnded(ended.length)}
            </Button>
          </div>
          {areEndedShown ? <EndedKeyTable keys={ended} now={now} /> : null}
        </div>
      )}
      <Suspense>
        {open?.kind === 'new' ? <NewKey envId={environment.id} onMade={show} onClose={close} /> : null}
        {open?.kind === 'rotate' ? (
          <RotateKey envId={environment.id} apiKey={open.apiKey} onMade={show} onClose={close} />
        ) : null}
        {open?.kind === 'revoke' ? (
          <RevokeKey envId={environment.id} apiKey={open.apiKey} onClose={close} />
        ) : null}
      </Suspense>
      {open?.kind === 'shown' ? <KeyShown text={open.text} flag={flag.data ?? null} onClose={close} /> : null}
    </div>
  );
}
