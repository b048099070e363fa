import { Link } from '@tanstack/react-router';
import { copyText } from '../../ui/copyText';
import { shown } from '../../ui/shown';
import styles from './Flags.module.css';
import { flagsPage } from './messages';
import type { OverviewFlag } from './overview';

/** Tags that a row shows; the others are counted. */
const TAGS_SHOWN = 3;

/** The name of a flag, its type and tags beside it, and its key below. */
export function FlagCell({ flag, isTabStop }: { flag: OverviewFlag; isTabStop: boolean }) {
  const hidden = flag.tags.length - TAGS_SHOWN;
  return (
    <div role="rowheader" aria-colindex={2} className={styles.flag}>
      <div className={styles.line}>
        <Link
          from="/p/$project/flags"
          to="$key"
          params={{ key: flag.key }}
          search={{}}
          tabIndex={isTabStop ? 0 : -1}
          className={styles.name}
        >
          {shown(flag.name)}
        </Link>
        {flag.flag_type === 'boolean' ? null : (
          <span className={styles.type}>{flagsPage.typeName(flag.flag_type)}</span>
        )}
        {flag.tags.slice(0, TAGS_SHOWN).map(tag => (
          <bdi key={tag} className={styles.tag}>
            {shown(tag)}
          </bdi>
        ))}
        {hidden > 0 ? <span className={styles.tag}>{flagsPage.more(hidden)}</span> : null}
      </div>
      <div className={styles.line}>
        <code className={styles.key}>{flag.key}</code>
        {/* The arrows and the menu of the row lead past it: one more tab stop a row would be in the way. */}
        <button
          type="button"
          className={styles.copy}
          tabIndex={-1}
          aria-label={flagsPage.copyKey(flag.key)}
          title={flagsPage.copyKey(flag.key)}
          onClick={() => void copyText(flag.key, flagsPage.copied(flag.key))}
        />
      </div>
    </div>
  );
}
