import { useInfiniteQuery } from '@tanstack/react-query';
import type { NamedProject } from '../../../frame/project';
import { More } from '../../../parts/More';
import { PartLoading } from '../../../ui/PartLoading';
import { useNow } from '../../../ui/useNow';
import { references } from './messages';
import { type Reference, referencesQuery } from './queries';
import styles from './References.module.css';

interface ReferencesCardProps {
  project: NamedProject;
  flagKey: string;
}

/** Where code names the flag, by repository, as scans told it. */
export function ReferencesCard({ project, flagKey }: ReferencesCardProps) {
  const query = useInfiniteQuery(referencesQuery(project.id, flagKey));
  const found = query.data?.pages.flatMap(({ data }) => data) ?? [];
  const total = query.data?.pages[0]?.total ?? 0;
  return (
    <section className="card" aria-labelledby="references-title">
      <h2 id="references-title">{references.title()}</h2>
      {query.data === undefined ? (
        <PartLoading error={query.error} height="4rem" />
      ) : total === 0 ? (
        <p className="soft">{references.none()}</p>
      ) : (
        <>
          <p className="soft">{references.text(total)}</p>
          {byRepository(found).map(lines => (
            <Repository key={lines[0].repository_id} lines={lines} />
          ))}
          <More label={references.more()} query={query}>
            <span className="soft">{references.of(found.length, total)}</span>
          </More>
        </>
      )}
    </section>
  );
}

type Lines = [Reference, ...Reference[]];

function Repository({ lines }: { lines: Lines }) {
  const now = useNow(60_000);
  const { repository, commit, scanned_at } = lines[0];
  return (
    <div className="stack close">
      <h3>
        <bdi>{repository}</bdi>
      </h3>
      <p className="soft small">{references.scanned(commit, scanned_at, now)}</p>
      <ul className={styles.lines}>
        {lines.map(({ path, line, alias, url }) => {
          const place = <code>{references.place(path, line)}</code>;
          return (
            <li key={references.place(path, line) + alias}>
              {url === null ? (
                place
              ) : (
                <a href={url} rel="noreferrer">
                  {place}
                </a>
              )}
              {alias === null ? null : <span className="soft">{references.as(alias)}</span>}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** Lines of one repository follow one another. */
function byRepository(found: readonly Reference[]): Lines[] {
  const groups: Lines[] = [];
  for (const one of found) {
    const last = groups.at(-1);
    if (last?.[0].repository_id === one.repository_id) last.push(one);
    else groups.push([one]);
  }
  return groups;
}
