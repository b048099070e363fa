import { useQuery } from '@tanstack/react-query';
import { usePolling } from '../../frame/Live';
import { Table } from '../../ui/Table';
import { edgePage as own } from './edgeMessages';
import type { Environments } from './environmentNames';
import { fleetPage as words } from './messages';
import { type Wave, wavesQuery } from './queries';
import type { Row } from './rows';
import { timeOf, waveId } from './waves';

const SHOWN = 20;

/** How long the last changes took to reach an edge. */
export function EdgeWaves({ row, environments, now }: { row: Row; environments: Environments; now: number }) {
  const { data } = useQuery({ ...wavesQuery(undefined, SHOWN), refetchInterval: usePolling() });
  const answers = row.edge.via ?? row.name;
  const waves = (data?.data ?? []).filter(wave => timeOf(wave, answers) !== undefined);
  const took = (wave: Wave) => {
    const time = timeOf(wave, answers);
    return typeof time === 'number' ? words.ms(time) : own.notServed();
  };
  return (
    <section className="stack close" aria-labelledby="edge-waves">
      <h2 id="edge-waves">{own.waves()}</h2>
      {row.edge.via === undefined ? null : <p className="soft">{own.atRelay(row.edge.via)}</p>}
      {data !== undefined && waves.length === 0 ? <p>{own.noWaves()}</p> : null}
      {waves.length === 0 ? null : (
        <Table
          label={own.waves()}
          columns={[
            {
              id: 'change',
              title: own.change(),
              cell: wave =>
                words.changeLabel(
                  words.what(wave.resource_key, wave.action),
                  environments.label(wave.env_id),
                  wave.committed_at,
                  now,
                ),
            },
            { id: 'took', title: own.took(), cell: took },
          ]}
          rows={waves}
          rowId={waveId}
        />
      )}
    </section>
  );
}
