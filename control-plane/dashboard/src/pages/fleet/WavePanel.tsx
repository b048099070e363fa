import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { usePolling } from '../../frame/Live';
import { DownloadCsv } from '../../parts/DownloadCsv';
import { useMe } from '../../session/me';
import { Button } from '../../ui/Button';
import { Chip } from '../../ui/Chip';
import { Loading, Skeleton } from '../../ui/Feedback';
import { Select } from '../../ui/Select';
import type { Environments } from './environmentNames';
import styles from './Fleet.module.css';
import { fleetPage as words } from './messages';
import { type Wave, wavesQuery } from './queries';
import { WaveBars } from './WaveBars';
import { waveId, waveView } from './waves';

const FIRST = 20;
const ALL = 100;
/** Edges that are named as missing. */
const NAMED = 10;

interface WavePanelProps {
  envId: string | undefined;
  environments: Environments;
  now: number;
}

/** How the last changes reached the edges: one at a time, the latest unless another one is chosen. */
export function WavePanel({ envId, environments, now }: WavePanelProps) {
  const [limit, setLimit] = useState(FIRST);
  const [chosen, setChosen] = useState<string | null>(null);
  const { data, isPending } = useQuery({
    ...wavesQuery(envId, limit),
    refetchInterval: usePolling(),
    placeholderData: keepPreviousData,
  });
  const waves = data?.data ?? [];
  const wave = waves.find(one => waveId(one) === chosen) ?? waves[0];
  return (
    <section className="card" aria-labelledby="waves">
      <div className="stack close">
        <h2 id="waves">{words.waveTitle()}</h2>
        <p className="soft">{words.waveLead()}</p>
      </div>
      {isPending ? (
        <Loading>
          <Skeleton height="10rem" />
        </Loading>
      ) : null}
      {!isPending && wave === undefined ? <p>{words.noWaves()}</p> : null}
      {wave === undefined ? null : (
        <>
          <div className="row" style={{ alignItems: 'end' }}>
            <Select
              label={words.change()}
              choices={waves.map(one => ({
                id: waveId(one),
                label: words.changeLabel(
                  words.what(one.resource_key, one.action),
                  environments.label(one.env_id),
                  one.committed_at,
                  now,
                ),
              }))}
              value={waveId(wave)}
              onChange={setChosen}
            />
            {limit === FIRST && waves.length === FIRST ? (
              <Button look="quiet" onPress={() => setLimit(ALL)}>
                {words.earlier()}
              </Button>
            ) : null}
          </div>
          <OneWave wave={wave} environments={environments} />
        </>
      )}
    </section>
  );
}

function OneWave({ wave, environments }: { wave: Wave; environments: Environments }) {
  const view = waveView(wave);
  const served = view.bars.length;
  const isOld = Date.now() - Date.parse(wave.committed_at) > 10_000;
  const names = words.someMissing(view.missing.slice(0, NAMED), Math.max(0, view.missing.length - NAMED));
  return (
    <div className="stack close">
      <div className="row">
        {wave.killed ? <Chip tone="warn">{words.killed()}</Chip> : null}
        <ChangeLink wave={wave} environments={environments} />
        {wave.priority === true ? <span className="soft small">{words.urgent()}</span> : null}
      </div>
      <dl className={styles.figures}>
        <Figure term={words.serving()} value={words.ofEdges(served, served + view.missing.length)} />
        <Figure term={words.median()} value={view.median === null ? words.none() : words.ms(view.median)} />
        <Figure
          term={words.last()}
          value={view.last === null ? words.none() : words.lastOf(view.last.ms, view.last.edge)}
        />
        <Figure
          term={words.prepared()}
          value={wave.published_ms === null ? words.none() : words.ms(wave.published_ms)}
        />
        <Figure term={words.size()} value={wave.bytes === null ? words.none() : words.bytes(wave.bytes)} />
      </dl>
      {view.missing.length > 0 ? (
        <p role="status">{isOld ? words.missing(names) : words.waiting(names)}</p>
      ) : null}
      {served === 0 ? (
        <p>{words.nobodyServed()}</p>
      ) : (
        <>
          <WaveBars bars={view.bars} isKill={wave.killed} />
          <div>
            <DownloadCsv
              name={['wave', wave.resource_key ?? '', String(wave.version)]}
              head={[words.name(), words.region(), words.after()]}
              rows={() => view.bars.map(({ edge, region, ms }) => [edge, region, ms])}
            />
          </div>
        </>
      )}
    </div>
  );
}

function Figure({ term, value }: { term: string; value: string }) {
  return (
    <div className={styles.figure}>
      <dt>{term}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** Leads to what was changed, where that is still there. */
function ChangeLink({ wave, environments }: { wave: Wave; environments: Environments }) {
  const { projects } = useMe();
  const project = projects.find(({ id }) => id === wave.project_id);
  const environment = environments.find(wave.env_id);
  if (project === undefined || wave.resource_key === null) return null;
  const params = { project: project.slug, key: wave.resource_key };
  if (wave.resource_type === 'segment') {
    return (
      <Link to="/p/$project/segments/$key" params={params}>
        {words.openSegment(wave.resource_key)}
      </Link>
    );
  }
  return (
    <Link
      to="/p/$project/flags/$key"
      params={params}
      search={environment === undefined ? {} : { env: environment.slug }}
    >
      {words.openFlag(wave.resource_key)}
    </Link>
  );
}
