import { Table } from '../../ui/Table';
import { edgePage as own } from './edgeMessages';
import type { Environments } from './environmentNames';
import { fleetPage as words } from './messages';
import type { Row } from './rows';

interface Line {
  envId: string;
  serves: string;
  latest: string;
  behind: string;
}

/** The organization's environments at an edge. */
export function Held({ row, environments, now }: { row: Row; environments: Environments; now: number }) {
  const lines = linesOf(row, now);
  const { via } = row.edge;
  return (
    <section className="stack close" aria-labelledby="held">
      <h2 id="held">{own.holds()}</h2>
      {via === undefined ? (
        <>
          <p className="soft">{own.holdsLead(row.edge.connected)}</p>
          {lines.length === 0 ? (
            <p>
              {row.edge.connected ? own.nothingHeld() : row.lag === null ? words.unknown() : words.current()}
            </p>
          ) : (
            <Table
              label={own.holds()}
              columns={[
                { id: 'env', title: own.environment(), cell: ({ envId }) => environments.label(envId) },
                { id: 'serves', title: own.serves(), cell: ({ serves }) => serves },
                { id: 'latest', title: own.latest(), cell: ({ latest }) => latest },
                { id: 'behind', title: own.behind(), cell: ({ behind }) => behind },
              ]}
              rows={lines}
              rowId={({ envId }) => envId}
            />
          )}
        </>
      ) : (
        <p>{own.ofRelay(via)}</p>
      )}
    </section>
  );
}

function linesOf({ edge, lag }: Row, now: number): Line[] {
  const behind = (envId: string) => {
    const one = lag?.find(item => item.envId === envId);
    if (one === undefined) return words.current();
    return words.behind(one.versions, Math.max(0, Math.round((now - Date.parse(one.since)) / 1000)));
  };
  if (!edge.connected) {
    return (lag ?? []).map(({ envId }) => ({
      envId,
      serves: words.none(),
      latest: words.none(),
      behind: behind(envId),
    }));
  }
  return edge.environments.map(({ env_id, version, current_version }) => ({
    envId: env_id,
    serves: words.versionOf(version),
    latest: words.versionOf(current_version),
    behind: behind(env_id),
  }));
}
