import styles from './Code.module.css';

interface CodeProps {
  label: string;
  text: string;
  /** Long lines go on below, so that all of it is seen at once. */
  isWrapped?: boolean;
}

/** Text to copy. It scrolls by itself, so it can be focused. */
export function Code({ label, text, isWrapped = false }: CodeProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section className={`${styles.code} ${isWrapped ? styles.wrapped : ''}`} tabIndex={0} aria-label={label}>
      <pre>{text}</pre>
    </section>
  );
}
