import styles from './Dependencies.module.css';
import { BOX, type Picture as Drawn } from './layout';
import { dependencies } from './messages';
import type { Related } from './queries';

interface PictureProps {
  picture: Drawn;
  flags: readonly Related[];
}

const MARGIN = 2;

/** The same as the list says, for the eye; only where there is room for it. */
export function Picture({ picture, flags }: PictureProps) {
  const { boxes, lines, width, height } = picture;
  const required = flags.filter(({ level }) => level > 0).length;
  return (
    <div className={styles.picture}>
      <svg
        role="img"
        aria-label={dependencies.picture(required, flags.length - required - 1)}
        viewBox={`${-MARGIN} ${-MARGIN} ${width + 2 * MARGIN} ${height + 2 * MARGIN}`}
        width={width + 2 * MARGIN}
        height={height + 2 * MARGIN}
      >
        {lines.map(({ from, to, path }) => (
          <path key={`${from} ${to}`} d={path} className={styles.line} />
        ))}
        {boxes.map(({ flag, x, y }) => {
          const isBad = flag.name === null || flag.archived;
          return (
            <g key={flag.key} transform={`translate(${x} ${y})`}>
              <rect
                width={BOX.width}
                height={BOX.height}
                rx={8}
                className={isBad ? styles.badBox : flag.level === 0 ? styles.ownBox : styles.box}
              />
              <text x={12} y={isBad ? 17 : 25} className={flag.level === 0 ? styles.ownKey : styles.key}>
                {short(flag.key)}
              </text>
              {isBad ? (
                <text x={12} y={32} className={styles.badText}>
                  {flag.name === null ? dependencies.missingShort() : dependencies.archived()}
                </text>
              ) : null}
            </g>
          );
        })}
      </svg>
    </div>
  );
}

/** What fits into a box. */
const FITS = 20;

function short(key: string): string {
  return key.length > FITS ? `${key.slice(0, FITS - 1)}…` : key;
}
