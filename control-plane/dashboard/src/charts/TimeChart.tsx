import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import type uPlot from 'uplot';
import styles from './Charts.module.css';
import { ChartTable } from './ChartTable';
import { type Drawing, dataOf, draw, type Palette, sizeOf } from './draw';
import { Legend } from './Legend';
import { charts } from './messages';
import { type MarkerGroup, type Timeline, totalAt } from './series';

interface TimeChartProps {
  /** The name of the chart. */
  label: string;
  timeline: Timeline;
  /** The counts of all lines are one on top of the other. */
  isStacked?: boolean;
  markers?: readonly MarkerGroup[];
}

const NO_MARKERS: readonly MarkerGroup[] = [];

/** Counts over time. Arrow keys move along it and say what was counted; the same numbers are in a table below. */
export function TimeChart({ label, timeline, isStacked = true, markers = NO_MARKERS }: TimeChartProps) {
  const id = useId();
  const figure = useRef<HTMLElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const [point, setPoint] = useState<number | null>(null);
  const [isKeyed, setKeyed] = useState(false);
  const names = timeline.lines.map(({ id: line, label: name }) => `${line}=${name}`).join('\n');
  const drawing = useMemo<Drawing>(
    () => ({ timeline, isStacked, markers, palette: () => paletteOf(figure.current), onPoint: setPoint }),
    [timeline, isStacked, markers],
  );
  const latest = useRef(drawing);
  latest.current = drawing;
  const shape = `${names}\n${timeline.step}\n${timeline.at.length}\n${isStacked}\n${markers.map(({ at }) => at)}`;

  // biome-ignore lint/correctness/useExhaustiveDependencies: newer counts of the same lines go into the chart that is there
  useEffect(() => {
    if (box.current === null) return;
    const made = draw(box.current, latest.current);
    plot.current = made;
    return () => {
      made.destroy();
      plot.current = null;
    };
  }, [shape]);

  useEffect(() => plot.current?.setData(dataOf(drawing)), [drawing]);
  useFitting(box, plot);

  const last = timeline.at.length - 1;
  function move(event: KeyboardEvent) {
    const from = point ?? last + 1;
    const to = {
      ArrowLeft: Math.max(0, from - 1),
      ArrowRight: Math.min(last, from + 1),
      Home: 0,
      End: last,
      Escape: null,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    setKeyed(to !== null);
    setPoint(to);
    const left = to === null ? -10 : (plot.current?.valToPos(timeline.at[to] ?? 0, 'x') ?? -10);
    plot.current?.setCursor({ left, top: to === null ? -10 : 10 });
  }

  const shown = point === null || timeline.at[point] === undefined ? null : point;
  return (
    <figure className={styles.chart} ref={figure} aria-labelledby={`${id}-name`}>
      <figcaption id={`${id}-name`} className={styles.name}>
        {label}
      </figcaption>
      {/* biome-ignore-start lint/a11y/noNoninteractiveTabindex: arrow keys move along the chart */}
      {/* biome-ignore-start lint/a11y/useSemanticElements: there is no element for a chart that is drawn */}
      <div
        ref={box}
        className={styles.plot}
        role="application"
        tabIndex={0}
        aria-label={charts.about(label)}
        aria-roledescription={charts.role()}
        aria-describedby={`${id}-summary`}
        onKeyDown={move}
        onBlur={() => setKeyed(false)}
      />
      {/* biome-ignore-end lint/a11y/useSemanticElements: there is no element for a chart that is drawn */}
      {/* biome-ignore-end lint/a11y/noNoninteractiveTabindex: arrow keys move along the chart */}
      <p id={`${id}-summary`} className="hidden">
        {charts.summary(timeline)} {charts.keys()}
      </p>
      <p className={styles.at}>
        {shown === null ? charts.hint() : charts.time(timeline.at[shown] ?? 0, timeline.step)}
      </p>
      <p className="hidden" role="status">
        {shown === null || !isKeyed ? '' : charts.point(timeline, shown, totalAt(timeline, shown))}
      </p>
      <Legend timeline={timeline} point={shown} />
      <ChartTable label={label} timeline={timeline} />
    </figure>
  );
}

/** The colours that the legend has in this theme, and those around it. */
function paletteOf(figure: HTMLElement | null): Palette {
  if (figure === null) return { lines: [], text: '', grid: '', surface: '', font: { size: 12, family: '' } };
  const swatches = figure.querySelectorAll('[data-line]');
  const around = getComputedStyle(figure);
  return {
    lines: [...swatches].map(swatch => getComputedStyle(swatch).color),
    text: around.color,
    grid: around.borderBlockStartColor,
    surface: around.backgroundColor,
    font: { size: Number.parseFloat(around.fontSize) * 0.86, family: around.fontFamily },
  };
}

/** Draws anew when the room or the theme changes. */
function useFitting(box: React.RefObject<HTMLDivElement | null>, plot: React.RefObject<uPlot | null>): void {
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const fit = new ResizeObserver(() => plot.current?.setSize(sizeOf(element.clientWidth)));
    fit.observe(element);
    // The styles of the other theme are there in the frame after the one that tells of it.
    const again = () =>
      requestAnimationFrame(() => requestAnimationFrame(() => plot.current?.redraw(false, true)));
    const theme = new MutationObserver(again);
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', again);
    return () => {
      fit.disconnect();
      theme.disconnect();
      system.removeEventListener('change', again);
    };
  }, [box, plot]);
}
