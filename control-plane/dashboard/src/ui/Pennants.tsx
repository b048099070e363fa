import styles from './Pennants.module.css';

/** Four flags on a line: ours, where a page has nothing of its own to show yet. */
export function Pennants({ width = 88 }: { width?: number }) {
  return (
    <svg viewBox="0 0 120 38" width={width} className={styles.pennants} aria-hidden="true">
      <path className={styles.line} d="M1 6q59 16 118 0" />
      <path className={styles.first} d="m14 9 20 3.4-9 19z" />
      <path className={styles.second} d="m38 12.8 20 1.2-9.5 21z" />
      <path className={styles.third} d="m62 14 20-1.2-10.5 22.2z" />
      <path className={styles.first} d="m86 12.4 20-3.4-11 22z" />
    </svg>
  );
}
