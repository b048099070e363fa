import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Environment } from '../../../api/model';
import { environmentsQuery } from '../../../frame/environments';
import type { NamedProject } from '../../../frame/project';
import { list } from '../../../messages/format';
import { PartLoading } from '../../../ui/PartLoading';
import styles from './Dependencies.module.css';
import { FlagLink } from './FlagLink';
import { layout } from './layout';
import { dependencies } from './messages';
import { Picture } from './Picture';
import { type Related, relationsQuery } from './queries';

interface DependenciesCardProps {
  project: NamedProject;
  flagKey: string;
}

/** What the flag requires and what requires it, as a picture and as a list. */
export function DependenciesCard({ project, flagKey }: DependenciesCardProps) {
  const { data, error } = useQuery(relationsQuery(project.id, flagKey));
  const environments = useQuery(environmentsQuery(project.id)).data?.data ?? [];
  const picture = useMemo(() => layout(data?.flags ?? []), [data]);
  return (
    <section className="card" id="dependencies" aria-labelledby="dependencies-title">
      <h2 id="dependencies-title">{dependencies.title()}</h2>
      {data === undefined ? (
        <PartLoading error={error} height="6rem" />
      ) : data.flags.length < 2 ? (
        <p className="soft">{dependencies.none()}</p>
      ) : (
        <>
          <p className="soft">{dependencies.text()}</p>
          <Picture picture={picture} flags={data.flags} />
          {picture.left > 0 ? <p className="soft small">{dependencies.inList(picture.left)}</p> : null}
          <div className={styles.lists}>
            <RelatedList
              title={dependencies.requires()}
              project={project}
              flags={data.flags.filter(({ level }) => level > 0)}
              all={data.flags}
              environments={environments}
            />
            <RelatedList
              title={dependencies.requiredBy()}
              project={project}
              flags={data.flags.filter(({ level }) => level < 0)}
              all={data.flags}
              environments={environments}
            />
          </div>
          {data.truncated ? <p className="soft small">{dependencies.truncated()}</p> : null}
        </>
      )}
    </section>
  );
}

interface RelatedListProps {
  title: string;
  project: NamedProject;
  flags: readonly Related[];
  all: readonly Related[];
  environments: readonly Environment[];
}

function RelatedList({ title, project, flags, all, environments }: RelatedListProps) {
  if (flags.length === 0) return null;
  return (
    <div className="stack close">
      <h3>{title}</h3>
      <ul className={styles.list}>
        {flags.map(flag => {
          const through = throughOf(flag, all);
          const where = environments.filter(({ id }) => flag.env_ids.includes(id)).map(({ name }) => name);
          return (
            <li key={flag.key}>
              {flag.name === null ? (
                <code>{flag.key}</code>
              ) : (
                <FlagLink project={project} flagKey={flag.key}>
                  <code>{flag.key}</code>
                </FlagLink>
              )}
              {through.length > 0 ? (
                <span className="soft">{dependencies.through(list(through))}</span>
              ) : null}
              {flag.name === null ? (
                <b className={styles.bad}>{dependencies.missing()}</b>
              ) : flag.archived ? (
                <b className={styles.bad}>{dependencies.archived()}</b>
              ) : (
                <span className="soft">
                  {where.length === 0 ? dependencies.off() : dependencies.on(list(where))}
                </span>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** The flags between this one and the flag of the page. */
function throughOf(flag: Related, all: readonly Related[]): string[] {
  if (Math.abs(flag.level) < 2) return [];
  return all
    .filter(other =>
      flag.level > 0
        ? other.level === flag.level - 1 && other.requires.includes(flag.key)
        : other.level === flag.level + 1 && flag.requires.includes(other.key),
    )
    .map(({ key }) => key);
}
