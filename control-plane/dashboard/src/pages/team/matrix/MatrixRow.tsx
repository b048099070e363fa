import type { Ref } from 'react';
import { Chip } from '../../../ui/Chip';
import { Skeleton } from '../../../ui/Feedback';
import { Value } from '../../../ui/Value';
import type { Environment } from '../../environments/queries';
import type { TeamMember } from '../queries';
import team from '../Team.module.css';
import { Checks } from './Checks';
import styles from './Matrix.module.css';
import { cellOf, type Draft, KINDS, type Kind, mootness } from './matrix';
import { matrix } from './messages';

interface MatrixRowProps {
  ref: Ref<HTMLDivElement>;
  index: number;
  top: number;
  member: TeamMember | undefined;
  environments: readonly Pick<Environment, 'id' | 'name' | 'color'>[];
  /** The keys of the member's custom role. */
  held: readonly string[] | null;
  draft: Draft;
  /** The check with the tab stop of the grid, in the row that has it. */
  focus: number | null;
  isReadOnly: boolean;
  onFocus: (column: number) => void;
  onEdit: (envId: string, kind: Kind, value: boolean) => void;
}

export function MatrixRow({
  ref,
  index,
  top,
  member,
  environments,
  held,
  draft,
  focus,
  isReadOnly,
  onFocus,
  onEdit,
}: MatrixRowProps) {
  return (
    <div
      ref={ref}
      role="row"
      data-index={index}
      className={`${team.row} ${styles.row}`}
      style={{ transform: `translateY(${top}px)` }}
      aria-rowindex={index + 2}
    >
      {member === undefined ? (
        <div role="gridcell">
          <Skeleton height="2.5rem" width="12rem" />
        </div>
      ) : (
        <>
          <div role="rowheader" className={team.person}>
            <span className="row">
              <strong>
                <Value>{member.name}</Value>
              </strong>
              {draft.has(member.member_id) ? <Chip tone="warn">{matrix.changed()}</Chip> : null}
            </span>
            <Reason member={member} held={held} />
          </div>
          {environments.map((environment, column) => (
            <div key={environment.id} role="gridcell" className={styles.cell}>
              <Checks
                member={member}
                environment={environment}
                cell={cellOf(draft, member, environment.id)}
                held={held}
                isReadOnly={isReadOnly}
                place={kind => `${index}:${column * KINDS.length + KINDS.indexOf(kind)}`}
                hasFocus={kind => focus === column * KINDS.length + KINDS.indexOf(kind)}
                onFocus={kind => onFocus(column * KINDS.length + KINDS.indexOf(kind))}
                onEdit={(kind, value) => onEdit(environment.id, kind, value)}
              />
            </div>
          ))}
        </>
      )}
    </div>
  );
}

/** Why checks of this member have no effect. */
export function Reason({
  member,
  held,
}: {
  member: Pick<TeamMember, 'name' | 'role' | 'email'>;
  held: readonly string[] | null;
}) {
  const moot = KINDS.map(kind => mootness(member.role, held, kind)).find(found => found !== null);
  if (moot === undefined) {
    return member.email === null || member.email === member.name ? null : (
      <span className="soft small">{member.email}</span>
    );
  }
  const text =
    moot?.reason === 'manager'
      ? matrix.manager(member.role)
      : moot?.reason === 'viewer'
        ? matrix.viewer()
        : matrix.custom();
  return <span className="soft small">{text}</span>;
}
