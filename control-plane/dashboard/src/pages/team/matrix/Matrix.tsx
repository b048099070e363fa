import { type CSSProperties, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useMe } from '../../../session/me';
import { EnvironmentDot } from '../../../ui/Chip';
import type { Environment } from '../../environments/queries';
import type { CustomRole } from '../roles/queries';
import { mayManage } from '../rules';
import team from '../Team.module.css';
import type { useTeamRows } from '../useTeamRows';
import styles from './Matrix.module.css';
import { MatrixRow } from './MatrixRow';
import { type Draft, edited, KINDS, moved } from './matrix';
import { matrix } from './messages';

/** The height of a row with two checks, in a wide window. */
export const ROW_HEIGHT = 77;

interface MatrixProps {
  rows: ReturnType<typeof useTeamRows>;
  environments: readonly Pick<Environment, 'id' | 'name' | 'color'>[];
  roles: readonly CustomRole[];
  draft: Draft;
  onDraft: (change: (draft: Draft) => Draft) => void;
}

/** A grid of checks with one tab stop: arrows lead from check to check. Narrow screens get a card for each member. */
export function Matrix({ rows, environments, roles, draft, onDraft }: MatrixProps) {
  const me = useMe();
  const columns = environments.length * KINDS.length;
  const [place, setPlace] = useState({ row: 0, column: 0 });
  const hasMoved = useRef(false);
  const { holder, shown } = rows;

  // The row may be drawn later than the arrow was pressed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn rows change without anything else changing
  useEffect(() => {
    if (!hasMoved.current) return;
    const check = holder.current?.querySelector<HTMLElement>(`[data-place="${place.row}:${place.column}"]`);
    if (check == null) return;
    hasMoved.current = false;
    check.focus();
  }, [place, shown]);

  function onKeyDown(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = moved(place, event.key, rows.total, columns);
    if (to === null) return;
    event.preventDefault();
    hasMoved.current = true;
    setPlace(to);
    rows.scrollTo(to.row);
  }

  return (
    <div className={styles.scroll}>
      <div
        role="grid"
        className={`${team.table} ${styles.grid}`}
        style={{ '--environments': environments.length } as CSSProperties}
        aria-label={matrix.table()}
        aria-rowcount={rows.total + 1}
        aria-colcount={environments.length + 1}
        onKeyDown={onKeyDown}
      >
        <div role="rowgroup">
          <div role="row" className={`${team.head} ${styles.head}`} aria-rowindex={1}>
            <div role="columnheader">{matrix.member()}</div>
            {environments.map(({ id, name, color }) => (
              <div key={id} role="columnheader" className={styles.environment}>
                <EnvironmentDot color={color} />
                {name}
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" ref={holder} className={team.rows} style={{ blockSize: rows.height }}>
          {shown.map(item => {
            const member = rows.at(item.index);
            return (
              <MatrixRow
                key={item.key}
                ref={rows.measure}
                index={item.index}
                top={rows.top(item)}
                member={member}
                environments={environments}
                held={roles.find(({ id }) => id === member?.custom_role_id)?.permissions ?? null}
                draft={draft}
                focus={item.index === place.row ? place.column : null}
                isReadOnly={!mayManage(me)}
                onFocus={column => setPlace({ row: item.index, column })}
                onEdit={(envId, kind, value) =>
                  member && onDraft(now => edited(now, member, envId, kind, value))
                }
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}
