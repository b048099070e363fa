import type { CSSProperties, ReactNode } from 'react';
import styles from './Chip.module.css';

interface ChipProps {
  tone?: 'plain' | 'good' | 'warn' | 'bad';
  children: ReactNode;
}

export function Chip({ tone = 'plain', children }: ChipProps) {
  return (
    <span className={`${styles.chip} ${tone === 'plain' ? '' : styles[tone]}`}>
      <span className={styles.name}>{children}</span>
    </span>
  );
}

interface EnvironmentChipProps {
  name: string;
  color: string;
}

/** An environment by name and colour; the colour alone never says which it is. */
export function EnvironmentChip({ name, color }: EnvironmentChipProps) {
  return (
    <span className={styles.chip}>
      <EnvironmentDot color={color} />
      <span className={styles.name}>{name}</span>
    </span>
  );
}

export function EnvironmentDot({ color }: { color: string }) {
  return <span className={styles.dot} style={{ '--environment': color } as CSSProperties} aria-hidden />;
}
