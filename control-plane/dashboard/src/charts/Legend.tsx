import { number } from '../messages/format';
import styles from './Charts.module.css';
import { colorOf, dashOf } from './looks';
import { charts } from './messages';
import { sum, type Timeline } from './series';

interface LegendProps {
  timeline: Timeline;
  /** The step whose counts are shown; the sums of all steps without one. */
  point: number | null;
}

/** The lines with the pattern and colour of each. */
export function Legend({ timeline, point }: LegendProps) {
  return (
    <ul className={styles.legend} aria-label={charts.lines()}>
      {timeline.lines.map((line, index) => (
        <li key={line.id} className={styles.line}>
          <svg
            data-line
            className={styles.swatch}
            style={{ color: colorOf(index) }}
            viewBox="0 0 32 8"
            width="32"
            height="8"
            aria-hidden="true"
          >
            <line
              x1="0"
              y1="4"
              x2="32"
              y2="4"
              stroke="currentColor"
              strokeWidth="3"
              strokeDasharray={dashOf(index).join(' ')}
            />
          </svg>
          <bdi className={styles.label}>{line.label}</bdi>
          <span className={styles.count}>
            {number(point === null ? sum(line.counts) : (line.counts[point] ?? 0))}
          </span>
        </li>
      ))}
    </ul>
  );
}
