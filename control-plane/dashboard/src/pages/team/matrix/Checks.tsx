import { EnvironmentDot } from '../../../ui/Chip';
import type { Environment } from '../../environments/queries';
import type { TeamMember } from '../queries';
import styles from './Matrix.module.css';
import { type Cell, KINDS, type Kind, mootness } from './matrix';
import { matrix } from './messages';

interface ChecksProps {
  member: Pick<TeamMember, 'name' | 'role'>;
  environment: Pick<Environment, 'name' | 'color'>;
  cell: Cell;
  held: readonly string[] | null;
  isReadOnly: boolean;
  place?: (kind: Kind) => string;
  /** Where the arrows of a grid lead from check to check. */
  hasFocus?: (kind: Kind) => boolean;
  onFocus?: (kind: Kind) => void;
  onEdit: (kind: Kind, value: boolean) => void;
}

/** The two checks of a member in an environment. One that has no effect shows what holds and cannot be changed. */
export function Checks({
  member,
  environment,
  cell,
  held,
  isReadOnly,
  place,
  hasFocus,
  onFocus,
  onEdit,
}: ChecksProps) {
  return (
    <>
      <span className={styles.caption}>
        <EnvironmentDot color={environment.color} />
        {environment.name}
      </span>
      <span className={styles.checks}>
        {KINDS.map(kind => {
          const moot = mootness(member.role, held, kind);
          const isFixed = isReadOnly || moot !== null;
          return (
            <label key={kind} className={`${styles.check} ${isFixed ? styles.fixed : ''}`}>
              <input
                type="checkbox"
                aria-label={matrix.check(member.name, environment.name, kind)}
                checked={moot?.value ?? cell[kind]}
                aria-disabled={isFixed || undefined}
                tabIndex={hasFocus === undefined || hasFocus(kind) ? 0 : -1}
                data-place={place?.(kind)}
                onFocus={() => onFocus?.(kind)}
                onChange={event => isFixed || onEdit(kind, event.currentTarget.checked)}
              />
              <span aria-hidden>{matrix.kind(kind)}</span>
            </label>
          );
        })}
      </span>
    </>
  );
}
