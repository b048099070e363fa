import { Link } from '@tanstack/react-router';
import type { Environment } from '../../api/model';
import { EnvironmentDot } from '../../ui/Chip';
import { Value } from '../../ui/Value';
import styles from './Flag.module.css';
import { flagWords } from './messages';

interface EnvironmentLinksProps {
  environments: readonly Environment[];
  current: Environment | undefined;
  /** The ids of the environments with changes that are not saved. */
  unsaved: ReadonlySet<string>;
}

/** The environments of the project. Going to another one keeps the tab and the place on the page. */
export function EnvironmentLinks({ environments, current, unsaved }: EnvironmentLinksProps) {
  return (
    <nav aria-label={flagWords.environments()} className={styles.environments}>
      {environments.map(({ id, slug, name, color }) => (
        <Link
          key={id}
          from="/p/$project/flags/$key"
          to="."
          search={({ tab }) => (tab === undefined ? { env: slug } : { env: slug, tab })}
          resetScroll={false}
          className={styles.environment}
          aria-current={id === current?.id ? 'page' : undefined}
        >
          <EnvironmentDot color={color} />
          <Value>{name}</Value>
          {unsaved.has(id) ? <span className={styles.unsaved}>{flagWords.unsaved()}</span> : null}
        </Link>
      ))}
    </nav>
  );
}
