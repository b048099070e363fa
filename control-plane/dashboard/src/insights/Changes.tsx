import type { components } from '../api/schema';
import { groupMarkers, type MarkerGroup, type Timeline } from '../charts/series';
import styles from './Insights.module.css';
import { insights } from './messages';

export type Entry = components['schemas']['AuditEntry'];

/** The changes of a chart, by the numbers in it. */
export function markersOf(entries: readonly Entry[], timeline: Timeline): MarkerGroup[] {
  return groupMarkers(
    entries.map(({ id, created_at }) => ({ id, at: Date.parse(created_at) / 1000 })),
    timeline,
  );
}

interface ChangesProps {
  groups: readonly MarkerGroup[];
  entries: readonly Entry[];
  total: number;
  /** The name of an environment. */
  nameOf: (envId: string) => string | undefined;
}

/** Who changed what, beside the numbers of the marks. */
export function Changes({ groups, entries, total, nameOf }: ChangesProps) {
  if (groups.length === 0) return null;
  const byId = new Map(entries.map(entry => [entry.id, entry]));
  return (
    <details className={styles.changes}>
      <summary>{insights.changes()}</summary>
      <ol>
        {groups.map(({ number, ids }) => (
          <li key={number} value={number}>
            <ul>
              {ids.map(id => {
                const entry = byId.get(id);
                if (entry === undefined) return null;
                const envId = envOf(entry);
                return (
                  <li key={id}>
                    <time dateTime={entry.created_at}>{insights.at(entry.created_at)}</time>{' '}
                    {insights.change(
                      whoOf(entry),
                      entry.action,
                      envId === null ? null : (nameOf(envId) ?? insights.deletedEnvironment()),
                    )}
                  </li>
                );
              })}
            </ul>
          </li>
        ))}
      </ol>
      {total > entries.length ? <p className="soft">{insights.moreChanges(entries.length)}</p> : null}
    </details>
  );
}

function whoOf({ actor_name, actor_type }: Entry): string {
  if (actor_name !== null) return actor_name;
  return actor_type === 'system' ? insights.system() : insights.former();
}

function envOf({ metadata }: Entry): string | null {
  const { env_id: id = null } = (metadata ?? {}) as { env_id?: unknown };
  return typeof id === 'string' ? id : null;
}
