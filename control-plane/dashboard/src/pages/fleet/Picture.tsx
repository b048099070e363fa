import { useRouter } from '@tanstack/react-router';
import { type MouseEvent, useMemo } from 'react';
import styles from './Fleet.module.css';
import { fleetPage as words } from './messages';
import { type Box, type Mark, pictureOf, type Title } from './picture';
import { mostBehind, type Row, STATES } from './rows';
import { StateMark, StateShape } from './StateMark';

/** The fleet as a picture. Each edge that is drawn leads to its page. */
export function Picture({ rows }: { rows: readonly Row[] }) {
  const { width, height, boxes } = useMemo(() => pictureOf(rows), [rows]);
  return (
    <section className={`card ${styles.pictureCard}`} aria-labelledby="map">
      <div className="row apart">
        <h2 id="map">{words.pictureTitle()}</h2>
        <ul className={styles.legend} aria-label={words.legend()}>
          {STATES.map(state => (
            <li key={state}>
              <StateMark state={state} />
              {words.state(state)}
            </li>
          ))}
        </ul>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <section className={styles.pictureScroll} tabIndex={0} aria-label={words.picture()}>
        {/* biome-ignore lint/a11y/noSvgWithoutTitle: the section around it is named, and each shape in it */}
        <svg
          width={width + 2}
          height={height + 2}
          viewBox={`-1 -1 ${width + 2} ${height + 2}`}
          className={styles.picture}
        >
          {boxes.map(box => (
            <Line key={box.id} box={box} />
          ))}
          {boxes.map(box => (
            <Group key={box.id} box={box} />
          ))}
        </svg>
      </section>
    </section>
  );
}

function Line({ box }: { box: Box }) {
  if (box.from === null) return null;
  const { x, y } = box.from;
  const to = box.y + box.height / 2;
  const middle = (x + box.x) / 2;
  return <path className={styles.line} d={`M${x} ${y} C${middle} ${y} ${middle} ${to} ${box.x} ${to}`} />;
}

function Group({ box }: { box: Box }) {
  const bottom = box.y + box.height;
  return (
    <g>
      <rect
        className={styles.box}
        x={box.x}
        y={box.y}
        width={box.width}
        height={box.height}
        rx={8}
        data-apart={box.title.kind === 'apart'}
      />
      <Head box={box} />
      {box.marks.map(mark => (
        <EdgeMark key={mark.row.name} mark={mark} />
      ))}
      {box.more > 0 ? (
        <text className={styles.soft} x={box.x + 12} y={bottom - 12}>
          {words.moreEdges(box.more)}
        </text>
      ) : null}
    </g>
  );
}

function Head({ box }: { box: Box }) {
  const { title, x, y } = box;
  if (title.kind === 'relay') {
    return <EdgeMark mark={{ row: title.row, x: x + 16, y: y + 17, isNamed: true }} isRelay />;
  }
  return (
    <text className={styles.boxTitle} x={x + 12} y={y + 20}>
      {titleOf(title)}
    </text>
  );
}

function titleOf(title: Exclude<Title, { kind: 'relay' }>): string {
  switch (title.kind) {
    case 'root':
      return words.controlPlane();
    case 'region':
      return words.regionTitle(title.region, title.count);
    case 'apart':
      return words.apart(title.count);
  }
}

function EdgeMark({ mark, isRelay = false }: { mark: Mark; isRelay?: boolean }) {
  const router = useRouter();
  const { row, x, y, isNamed } = mark;
  const { href } = router.buildLocation({ to: '/fleet/$edge', params: { edge: row.name } });
  const label = words.markLabel(row.name, row.edge.kind, row.edge.region, row.state, mostBehind(row));
  const open = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    void router.navigate({ to: '/fleet/$edge', params: { edge: row.name } });
  };
  return (
    <a href={href} aria-label={label} className={styles.mark} onClick={open}>
      <title>{label}</title>
      <rect x={x - 11} y={y - 11} width={isNamed ? 176 : 22} height={22} rx={5} className={styles.target} />
      <g transform={`translate(${x} ${y})`}>
        <StateShape state={row.state} />
      </g>
      {isNamed ? (
        // A long name is cut at the edge of its box.
        <svg x={x + 14} y={y - 11} width={152} height={22} aria-hidden>
          <text y={15.5} className={isRelay ? styles.boxTitle : styles.edgeName}>
            {isRelay ? words.relay(row.name) : row.name}
          </text>
        </svg>
      ) : null}
    </a>
  );
}
