import { Link, useSearch } from '@tanstack/react-router';
import type { Environment } from '../api/model';
import type { NamedProject } from '../frame/project';
import { list } from '../messages/format';
import styles from './Archive.module.css';
import { archiving } from './messages';

interface DependantListProps {
  project: NamedProject;
  flags: readonly { key: string; env_ids: readonly string[] }[];
  total: number;
  environments: readonly Environment[];
}

/** Where a dependant is on, what it needs is really needed. */
export function DependantList({ project, flags, total, environments }: DependantListProps) {
  const { env } = useSearch({ strict: false });
  return (
    <ul className={styles.dependants}>
      {flags.map(({ key, env_ids }) => {
        const where = environments.filter(({ id }) => env_ids.includes(id)).map(({ name }) => name);
        return (
          <li key={key}>
            <Link
              to="/p/$project/flags/$key"
              params={{ project: project.slug, key }}
              search={env === undefined ? {} : { env }}
            >
              <code>{key}</code>
            </Link>
            <span className="soft">
              {where.length === 0 ? archiving.dependantOff() : archiving.dependantOn(list(where))}
            </span>
          </li>
        );
      })}
      {total > flags.length ? (
        <li className="soft">{archiving.dependantsMore(total - flags.length)}</li>
      ) : null}
    </ul>
  );
}
