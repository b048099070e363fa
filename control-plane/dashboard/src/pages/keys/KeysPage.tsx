import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Fragment, useCallback, useState } from 'react';
import { environmentsQuery } from '../../frame/environments';
import { Gone } from '../../frame/Gone';
import { usePolling } from '../../frame/Live';
import type { NamedProject } from '../../frame/project';
import { WithProject } from '../../frame/WithProject';
import { ListPage } from '../../parts/ListPage';
import { useMay } from '../../parts/MayNot';
import { shared } from '../../parts/messages';
import { Button } from '../../ui/Button';
import { EnvironmentDot } from '../../ui/Chip';
import { Optional } from '../../ui/Optional';
import { PageLoading } from '../../ui/PageLoading';
import { useNow } from '../../ui/useNow';
import { usePageTitle } from '../../ui/usePageTitle';
import { environments } from '../environments/messages';
import type { Environment } from '../environments/queries';
import { KeyShown } from './KeyShown';
import styles from './Keys.module.css';
import { EndedKeyTable, KeyTable } from './KeyTable';
import { countdownOf, sortKeys } from './lifetime';
import { apiKeys as words } from './messages';
import { NewKey } from './NewKey';
import { type ApiKey, firstFlagQuery, keysQuery, rehearsalQuery, TYPES } from './queries';
import { Rehearse, Rehearsing } from './Rehearse';
import { RevokeKey } from './RevokeKey';
import { RotateKey } from './RotateKey';

const route = getRouteApi('/framed/p/$project/environments/$env/keys');

export function KeysPage() {
  const { project } = route.useParams();
  return <WithProject named={project}>{found => <Page key={found.id} project={found} />}</WithProject>;
}

function Page({ project }: { project: NamedProject }) {
  const { env } = route.useParams();
  const list = useQuery(environmentsQuery(project.id));
  if (list.data === undefined) {
    return <PageLoading error={list.error} height="60dvh" />;
  }
  const environment = list.data.data.find(({ id, slug }) => slug === env || id === env);
  if (environment === undefined) return <Gone kind="environment" named={env} projectId={project.id} />;
  return <Keys key={environment.id} project={project} environment={environment} />;
}

type Open =
  | { kind: 'new' }
  | { kind: 'rotate' | 'revoke' | 'rehearse'; apiKey: ApiKey }
  | { kind: 'shown'; text: string }
  | null;

function Keys({ project, environment }: { project: NamedProject; environment: Environment }) {
  usePageTitle(words.title(environment.name));
  const { ended: areEndedShown = false } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useQuery({ ...keysQuery(environment.id), refetchInterval: usePolling() });
  const flag = useQuery(firstFlagQuery(project.id));
  const rehearsal = useQuery({
    ...rehearsalQuery(project.id, environment.id),
    refetchInterval: usePolling(),
  });
  const mayChange = useMay('api_keys.manage');
  const mayRehearse = useMay('rehearsals.run');
  const [open, setOpen] = useState<Open>(null);
  const items = list.data?.items ?? [];
  const isCounting = items.some(key => countdownOf(key, Date.now()) !== null);
  const now = useNow(isCounting ? 1000 : 30_000);
  const create = useCallback(() => setOpen({ kind: 'new' }), []);
  const close = () => setOpen(null);
  const show = (text: string) => setOpen({ kind: 'shown', text });

  const { live, ended } = sortKeys(items, now);
  const footer = (
    <>
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
    </>
  );
  return (
    <>
      <ListPage
        title={words.title(environment.name)}
        mark={<EnvironmentDot color={environment.color} />}
        back={
          <Link to="/p/$project/environments" params={{ project: project.slug }} className="back">
            {environments.back()}
          </Link>
        }
        lead={words.lead()}
        permit="api_keys.manage"
        list={{ ...list, isLoaded: list.data !== undefined }}
        create={{ id: 'create-key', label: words.create(), isAllowed: mayChange, run: create }}
        empty={{
          isEmpty: live.length === 0,
          title: words.emptyTitle(),
          text: words.empty(),
          request: {
            method: 'POST',
            path: `/v1/environments/${environment.id}/api-keys`,
            body: { name: 'shop', type: 'server' },
          },
        }}
        footer={footer}
      >
        {rehearsal.data ? (
          <Rehearsing
            projectId={project.id}
            envId={environment.id}
            rehearsal={rehearsal.data}
            keys={live}
            mayStop={mayRehearse}
          />
        ) : null}
        <KeyTable
          keys={live}
          now={now}
          mayChange={mayChange}
          onRotate={apiKey => setOpen({ kind: 'rotate', apiKey })}
          onRevoke={apiKey => setOpen({ kind: 'revoke', apiKey })}
          mayRehearse={mayRehearse}
          onRehearse={apiKey => setOpen({ kind: 'rehearse', apiKey })}
        />
      </ListPage>
      <Optional onClose={close}>
        {open?.kind === 'new' ? <NewKey envId={environment.id} onMade={show} onClose={close} /> : null}
        {open?.kind === 'rotate' ? (
          <RotateKey envId={environment.id} apiKey={open.apiKey} onMade={show} onClose={close} />
        ) : null}
        {open?.kind === 'rehearse' ? (
          <Rehearse projectId={project.id} envId={environment.id} apiKey={open.apiKey} onClose={close} />
        ) : null}
        {open?.kind === 'revoke' ? (
          <RevokeKey envId={environment.id} apiKey={open.apiKey} onClose={close} />
        ) : null}
      </Optional>
      {open?.kind === 'shown' ? <KeyShown text={open.text} flag={flag.data ?? null} onClose={close} /> : null}
    </>
  );
}
