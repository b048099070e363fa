import { useQuery } from '@tanstack/react-query';
import { t } from '../../messages/open';
import { AuditLink } from '../../parts/AuditLink';
import { useMe } from '../../session/me';
import { buttonClass } from '../../ui/Button';
import { Loading, Skeleton } from '../../ui/Feedback';
import { usePageTitle } from '../../ui/usePageTitle';
import { Value } from '../../ui/Value';
import { goneWords } from './messages';
import type { Kind } from './trail';
import { trailQuery } from './trail';

export interface GoneProps {
  kind: Kind;
  /** The name in the address: the key of a flag or segment, the slug of an environment or project. */
  named: string;
  /** Where it would be; none for a project. */
  projectId?: string;
}

/** In place of a page about something that is not there: whether it was deleted, by whom, and what was before. */
export default function GonePage({ kind, named, projectId }: GoneProps) {
  const mayRead = useMe().permissions.includes('audit.read');
  const { data, isPending } = useQuery({ ...trailQuery(kind, named, projectId), enabled: mayRead });
  const isDeleted = data !== undefined && data.length > 0;
  const title = isDeleted ? goneWords.deletedTitle(kind, named) : goneWords.goneTitle(kind, named);
  usePageTitle(title);
  if (mayRead && isPending) {
    return (
      <Loading>
        <Skeleton height="1.75rem" width="16rem" />
      </Loading>
    );
  }
  return (
    <div className="stack">
      <h1>
        <Value>{title}</Value>
      </h1>
      {isDeleted ? null : <p>{goneWords.gone()}</p>}
      {mayRead ? null : <p className="soft">{goneWords.noTrail()}</p>}
      {isDeleted ? (
        <section className="card" aria-labelledby="trail">
          <h2 id="trail">{goneWords.trail()}</h2>
          <ol className="stack close">
            {data.map(entry => (
              <li key={entry.id}>
                <strong>{goneWords.deed(entry.action)}</strong> {goneWords.by(entry.actor_name)},{' '}
                <time dateTime={entry.created_at}>{goneWords.at(entry.created_at)}</time>
              </li>
            ))}
          </ol>
          {data[0]?.resource_id == null ? null : <AuditLink resourceId={data[0].resource_id} />}
        </section>
      ) : null}
      <div>
        <a href="/" className={buttonClass()}>
          {t.refusal.toStart()}
        </a>
      </div>
    </div>
  );
}
