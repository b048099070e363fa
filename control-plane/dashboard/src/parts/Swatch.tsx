import type { CSSProperties } from 'react';
import styles from './Swatch.module.css';

const TONES = 8;

/** The colour of a variant, by its place. Beyond eight they repeat, so the key is always beside it. */
export function toneOf(place: number): string {
  return `var(--tone-${(place % TONES) + 1})`;
}

export function Swatch({ place }: { place: number }) {
  return <span className={styles.swatch} style={{ '--tone': toneOf(place) } as CSSProperties} aria-hidden />;
}
