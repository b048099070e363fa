import type { CSSProperties } from 'react';
import { Swatch } from '../../../parts/Swatch';
import styles from './Explain.module.css';
import { BUCKETS, type Line } from './marks';
import { explainWords } from './messages';
import { Verdict } from './Verdict';

/** A bucket between 0 and 10,000 and the thresholds that decide about it, drawn and in words. */
export function BucketLine({ line }: { line: Line }) {
  return (
    <div className="stack close">
      <h4 className={styles.small}>{explainWords.lineName(line.kind)}</h4>
      <p>
        <strong>{explainWords.bucket(line.bucket)}</strong>
      </p>
      {/* The list below says the same in words. */}
      <div className={styles.line} aria-hidden>
        {line.marks.map((mark, place) => (
          <span key={place} className={styles.mark} style={at(mark.at)} />
        ))}
        <span className={styles.bucket} style={at(line.bucket)} />
      </div>
      {line.marks.length === 0 ? (
        <p className="soft small">{explainWords.noMarks()}</p>
      ) : (
        <ul className={styles.marks}>
          {line.marks.map((mark, place) => (
            <li key={place} className={styles.fact}>
              <span className={styles.named}>
                {line.kind === 'variant' ? <Swatch place={place} /> : null}
                {explainWords.mark(mark.of, mark.at)}
              </span>
              <Verdict isGood={mark.holds} label={verdict(line.kind, mark.holds)} />
            </li>
          ))}
        </ul>
      )}
      <p className="soft small">{explainWords.lineText(line.kind)}</p>
    </div>
  );
}

function at(bucket: number): CSSProperties {
  return { insetInlineStart: `${(bucket / BUCKETS) * 100}%` };
}

function verdict(kind: Line['kind'], holds: boolean): string {
  if (kind === 'rollout') return holds ? explainWords.letsIn() : explainWords.leavesOut();
  return holds ? explainWords.drawn() : explainWords.notDrawn();
}
