import { Link } from '@tanstack/react-router';
import type { Environment } from '../../api/model';
import type { NamedProject } from '../../frame/project';
import { list } from '../../messages/format';
import styles from './Flag.module.css';
import { flagWords } from './messages';

interface DependantListProps {
  project: NamedProject;
  flags: readonly { key: string; env_ids: readonly string[] }[];
  total: number;
  environments: readonly Environment[];
}

/** Where a dependant is on, what it needs is really needed. */
export function DependantList({ project, flags, total, environments }: DependantListProps) {
  return (
    <ul className={styles.dependantList}>
      {flags.map(({ key, env_ids }) => {
        const where = environments.filter(({ id }) => env_ids.includes(id)).map(({ name }) => name);
        return (
          <li key={key}>
            <Link
              to="/p/$project/flags/$key"
              params={{ project: project.slug, key }}
              from="/p/$project/flags/$key"
              search={({ env }) => (env === undefined ? {} : { env })}
            >
              <code>{key}</code>
            </Link>
            <span className="soft">
              {where.length === 0 ? flagWords.dependantOff() : flagWords.dependantOn(list(where))}
            </span>
          </li>
        );
      })}
      {total > flags.length ? (
        <li className="soft">{flagWords.dependantsMore(total - flags.length)}</li>
      ) : null}
    </ul>
  );
}
