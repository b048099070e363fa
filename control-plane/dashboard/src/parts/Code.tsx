import { CopyButton } from '../ui/CopyButton';
import styles from '../ui/Curl.module.css';

interface CodeProps {
  label: string;
  text: string;
  /** Long lines go on below, so that all of it is seen at once. */
  isWrapped?: boolean;
  /** Labels the button in the corner that copies the text, as in "Copy the program". */
  copy?: string;
}

/** Text to copy. It scrolls by itself, so it can be focused. */
export function Code({ label, text, isWrapped = false, copy }: CodeProps) {
  return (
    <div className={styles.box}>
      <section
        className={`${styles.code} ${isWrapped ? styles.wrapped : ''}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
        tabIndex={0}
        aria-label={label}
      >
        <pre>{text}</pre>
      </section>
      {copy === undefined ? null : <CopyButton isSmall text={text} label={copy} />}
    </div>
  );
}
