import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { usePolling } from '../../frame/Live';
import { Chip } from '../../ui/Chip';
import { PageLoading } from '../../ui/PageLoading';
import { useNow } from '../../ui/useNow';
import { usePageTitle } from '../../ui/usePageTitle';
import { Certificate, servedText } from './EdgeTable';
import { EdgeWaves } from './EdgeWaves';
import { edgePage as own } from './edgeMessages';
import { useEnvironments } from './environmentNames';
import styles from './Fleet.module.css';
import { Held } from './Held';
import { fleetPage as words } from './messages';
import { edgesQuery } from './queries';
import { Revoke } from './Revoke';
import { type Row, rowsOf } from './rows';
import { StateMark } from './StateMark';
import { useFleetLive } from './useFleetLive';

const route = getRouteApi('/framed/fleet/$edge');

export function EdgePage() {
  const { edge: name } = route.useParams();
  usePageTitle(name);
  useFleetLive();
  const now = useNow(1000);
  const list = useQuery({ ...edgesQuery, refetchInterval: usePolling() });
  if (list.data === undefined) {
    return <PageLoading error={list.error} height="20rem" />;
  }
  const row = rowsOf(list.data.data, undefined, now).find(one => one.name === name);
  return (
    <div className="page">
      <div className="stack close">
        <Link to="/fleet" className="back">
          {own.back()}
        </Link>
        {row === undefined ? <h1>{own.absentTitle(name)}</h1> : <Title row={row} />}
      </div>
      {row === undefined ? (
        <p>{own.absent()}</p>
      ) : (
        <Edge row={row} now={now} mayRevoke={list.data.may_enroll} />
      )}
    </div>
  );
}

function Title({ row }: { row: Row }) {
  return (
    <div className="row">
      <h1>{row.name}</h1>
      <span className={styles.state}>
        <StateMark state={row.state} />
        {words.state(row.state)}
      </span>
      {row.edge.kind === 'edge' ? null : <Chip>{words.kind(row.edge.kind)}</Chip>}
    </div>
  );
}

function Edge({ row, now, mayRevoke }: { row: Row; now: number; mayRevoke: boolean }) {
  const environments = useEnvironments();
  return (
    <>
      <section className="card" aria-labelledby="connection">
        <h2 id="connection">{own.connection()}</h2>
        <Connection row={row} now={now} />
      </section>
      <Held row={row} environments={environments} now={now} />
      <EdgeWaves row={row} environments={environments} now={now} />
      <Revoke row={row} mayRevoke={mayRevoke} />
    </>
  );
}

function Connection({ row, now }: { row: Row; now: number }) {
  const { edge } = row;
  const via = edge.connected ? (edge.via ?? words.direct()) : words.none();
  const seen = edge.last_seen_at === null ? words.none() : words.ago(edge.last_seen_at, now);
  const facts = {
    [words.region()]: edge.region ?? words.anyRegion(),
    [words.via()]: via,
    [words.served()]: servedText(row, undefined, now),
    [words.rtt()]: edge.rtt_ms === null ? words.none() : words.ms(edge.rtt_ms),
    [words.rate()]:
      edge.evaluations_per_minute === undefined ? words.none() : words.count(edge.evaluations_per_minute),
    [words.since()]: edge.connected_since === null ? words.none() : words.time(edge.connected_since),
    [words.lastSeenTitle()]: seen,
    [words.build()]: edge.build ?? words.none(),
  };
  return (
    <dl className="facts">
      {Object.entries(facts).map(([term, value]) => (
        <Fragment key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
      <dt>{words.certificate()}</dt>
      <dd>
        <Certificate row={row} />
      </dd>
    </dl>
  );
}
