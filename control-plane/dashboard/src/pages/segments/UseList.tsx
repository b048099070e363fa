import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { environmentsQuery } from '../../frame/environments';
import type { NamedProject } from '../../frame/project';
import { segments as words } from './messages';
import type { Uses } from './queries';
import styles from './Segments.module.css';

/** Flags that are listed; the others are counted. */
const MOST_SHOWN = 50;

interface UseListProps {
  project: NamedProject;
  uses: Uses;
}

/** The flags that use a segment, with where. */
export function UseList({ project, uses }: UseListProps) {
  const { data } = useQuery(environmentsQuery(project.id));
  const environments = data?.data ?? [];
  const shown = uses.flags.slice(0, MOST_SHOWN);
  const nameOf = (id: string) =>
    environments.find(environment => environment.id === id)?.name ?? words.unknownEnvironment();
  return (
    <ul className={styles.uses}>
      {shown.map(({ key, env_ids }) => {
        const first = environments.find(({ id }) => id === env_ids[0]);
        return (
          <li key={key}>
            <Link
              to="/p/$project/flags/$key"
              params={{ project: project.slug, key }}
              search={first === undefined ? {} : { env: first.slug }}
            >
              {key}
            </Link>{' '}
            <span className="soft">{words.usesIn(env_ids.map(nameOf))}</span>
          </li>
        );
      })}
      {uses.total > shown.length ? (
        <li className="soft">{words.usesMore(uses.total - shown.length)}</li>
      ) : null}
    </ul>
  );
}
