import { Link } from '@tanstack/react-router';
import type { ChangeSet } from '../../changeSets/queries';
import type { NamedProject } from '../../frame/project';
import shared from '../../parts/Review.module.css';
import { useNow } from '../../ui/useNow';
import { Value } from '../../ui/Value';
import { approvals } from './deeds';
import { words } from './messages';
import { StatusChip } from './StatusChip';
import { useNameOf } from './useNameOf';

interface ChangeSetListProps {
  project: NamedProject;
  sets: readonly ChangeSet[];
}

/** Change sets, each with a link to its page. */
export function ChangeSetList({ project, sets }: ChangeSetListProps) {
  const now = useNow(60_000);
  const nameOf = useNameOf();
  return (
    <ul className={`${shared.lines} lines`} aria-label={words.title()}>
      {sets.map(set => {
        const given = approvals(set).length;
        return (
          <li key={set.id}>
            <span className={shared.what}>
              <Link
                to="/p/$project/change-sets/$id"
                params={{ project: project.slug, id: set.id }}
                className={shared.name}
              >
                <Value>{set.name}</Value>
              </Link>
              <span className="soft small">{words.by(set.author_ids.map(nameOf), set.updated_at, now)}</span>
            </span>
            <span className="row">
              {given === 0 ? null : <span className="soft small">{words.approvedBy(given)}</span>}
              <StatusChip set={set} />
            </span>
          </li>
        );
      })}
    </ul>
  );
}
