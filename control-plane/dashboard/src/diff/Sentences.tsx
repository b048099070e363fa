import { ArrowRight, Minus, Plus } from 'lucide-react';
import { Value } from '../ui/Value';
import styles from './Diff.module.css';
import type { Sentence, Words } from './sentence';

const MARKS = { added: Plus, removed: Minus, changed: ArrowRight };

/** A difference, one sentence a line. */
export function Sentences({ sentences }: { sentences: readonly Sentence[] }) {
  return (
    <ul className={styles.sentences}>
      {sentences.map(({ mark, words }, index) => {
        const Mark = MARKS[mark];
        return (
          <li key={index} className={styles.sentence}>
            <Mark size={16} aria-hidden className={styles[mark]} />
            <span>
              <Said words={words} />
            </span>
          </li>
        );
      })}
    </ul>
  );
}

/** A sentence with its names in bold. */
export function Said({ words }: { words: Words }) {
  return words.map((part, index) =>
    typeof part === 'string' ? (
      part
    ) : (
      <Value key={index} className={styles.name}>
        {part.name}
      </Value>
    ),
  );
}
