/** A chart as uPlot draws it: lines with dashes, fills below, names beside their ends, and numbered marks. */
import uPlot from 'uplot';
import { clockTime, compact, shortDate } from '../messages/format';
import { dashOf } from './looks';
import { type MarkerGroup, spread, stack, type Timeline } from './series';

/** Colours as the theme resolves them now. */
export interface Palette {
  lines: readonly string[];
  text: string;
  grid: string;
  surface: string;
  font: { size: number; family: string };
}

export interface Drawing {
  timeline: Timeline;
  isStacked: boolean;
  markers: readonly MarkerGroup[];
  palette: () => Palette;
  /** The step under the pointer; `null` when it left. */
  onPoint: (index: number | null) => void;
}

const HEIGHT = 260;
const DAY = 86_400;
/** Room for names beside the lines, where the chart is wide enough. */
const WIDE = 520;
const NAMES = 130;
const LONGEST = 17;

export function dataOf({ timeline, isStacked }: Pick<Drawing, 'timeline' | 'isStacked'>): uPlot.AlignedData {
  const rows = isStacked ? stack(timeline.lines) : timeline.lines.map(({ counts }) => [...counts]);
  return [[...timeline.at], ...rows];
}

export function sizeOf(width: number): { width: number; height: number } {
  return { width: Math.max(200, Math.floor(width)), height: HEIGHT };
}

export function draw(element: HTMLElement, drawing: Drawing): uPlot {
  const { timeline, isStacked, palette, onPoint } = drawing;
  const { lines, step } = timeline;
  const width = element.clientWidth;
  const axis: uPlot.Axis = {
    stroke: () => palette().text,
    font: fontOf(palette(), 1),
    grid: { stroke: () => palette().grid, width: 1 },
    ticks: { stroke: () => palette().grid, width: 1 },
  };
  const time = (seconds: number) => {
    const iso = new Date(seconds * 1000).toISOString();
    return step >= DAY ? shortDate(iso, 'UTC') : clockTime(iso);
  };
  const options: uPlot.Options = {
    ...sizeOf(width),
    padding: [18, plot => (plot.width >= WIDE ? NAMES : 8), 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    scales: { x: { time: false }, y: { range: (_, __, max) => [0, Math.max(1, max * 1.08)] } },
    axes: [
      { ...axis, values: (_, marks) => marks.map(time), space: 72, incrs: incrementsOf(step) },
      { ...axis, values: (_, marks) => marks.map(compact), size: 56, incrs: COUNTS },
    ],
    series: [
      {},
      ...lines.map((line, index) => ({
        label: line.label,
        stroke: () => palette().lines[index] ?? '',
        width: 2,
        dash: [...dashOf(index)],
        points: { show: timeline.at.length <= 60, size: 4 },
        ...(isStacked && index === 0 ? { fill: () => faint(palette().lines[0]) } : {}),
      })),
    ],
    ...(isStacked ? { bands: bandsOf(lines.length, palette) } : {}),
    hooks: {
      draw: [plot => drawMarkers(plot, drawing), plot => drawNames(plot, drawing)],
      setCursor: [plot => onPoint(plot.cursor.idx ?? null)],
    },
  };
  return new uPlot(options, dataOf(drawing), element);
}

/** Marks of the axis of counts are at whole numbers. */
const COUNTS = Array.from({ length: 15 }, (_, power) => [1, 2, 5].map(digit => digit * 10 ** power)).flat();

/** Marks of the time axis are at whole steps. */
function incrementsOf(step: number): number[] {
  return [1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 24, 30, 60, 90, 120].map(count => count * step);
}

/** Each fill but the lowest ends at the line below. */
function bandsOf(count: number, palette: Drawing['palette']): uPlot.Band[] {
  const bands: uPlot.Band[] = [];
  for (let index = count; index > 1; index -= 1) {
    bands.push({ series: [index, index - 1], fill: () => faint(palette().lines[index - 1]) });
  }
  return bands;
}

/** uPlot scales fonts of axes by itself; what is drawn here is in pixels of the device. */
function fontOf({ font: { size, family } }: Palette, ratio: number): string {
  return `${Math.round(size * ratio)}px ${family}`;
}

function faint(color = ''): string {
  return color.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.22)');
}

function drawMarkers(plot: uPlot, { markers, palette }: Drawing): void {
  const { ctx } = plot;
  const ratio = devicePixelRatio;
  const { text, surface } = palette();
  const { top, height, left, width } = plot.bbox;
  ctx.save();
  ctx.font = fontOf(palette(), ratio);
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  for (const { at, number } of markers) {
    const x = Math.min(left + width, Math.max(left, plot.valToPos(at, 'x', true)));
    ctx.strokeStyle = text;
    ctx.lineWidth = ratio;
    ctx.setLineDash([2 * ratio, 2 * ratio]);
    ctx.beginPath();
    ctx.moveTo(x, top);
    ctx.lineTo(x, top + height);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.fillStyle = text;
    ctx.beginPath();
    ctx.arc(x, top - 8 * ratio, 8 * ratio, 0, 2 * Math.PI);
    ctx.fill();
    ctx.fillStyle = surface;
    ctx.fillText(String(number), x, top - 8 * ratio);
  }
  ctx.restore();
}

function drawNames(plot: uPlot, { timeline, isStacked, palette }: Drawing): void {
  if (plot.width < WIDE) return;
  const { ctx } = plot;
  const ratio = devicePixelRatio;
  const { lines: colors } = palette();
  const { top, height, left, width } = plot.bbox;
  const ends = dataOf({ timeline, isStacked }).slice(1) as number[][];
  const named = ends.map((counts, index) => {
    const end = counts.at(-1) ?? 0;
    const below = isStacked ? (ends[index - 1]?.at(-1) ?? 0) : end;
    return plot.valToPos((end + below) / 2, 'y', true);
  });
  const gap = 15 * ratio;
  const places = spread(named, gap, top, top + height);
  ctx.save();
  ctx.font = fontOf(palette(), ratio);
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  for (const [index, { label }] of timeline.lines.entries()) {
    ctx.fillStyle = colors[index] ?? '';
    const short = label.length > LONGEST ? `${label.slice(0, LONGEST - 1)}…` : label;
    ctx.fillText(short, left + width + 8 * ratio, places[index] ?? 0);
  }
  ctx.restore();
}
