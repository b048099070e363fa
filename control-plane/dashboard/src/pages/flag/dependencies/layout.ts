/** Where the flags around one stand in the picture: a column for each level, what is required on the left. */
import type { Related } from './queries';

export const BOX = { width: 176, height: 40, gapX: 56, gapY: 12 } as const;

/** Flags drawn in a column; the list below the picture has the others. */
const DRAWN = 8;

/** Levels drawn in each direction. */
const LEVELS = 2;

export interface Box {
  flag: Related;
  x: number;
  y: number;
}

export interface Line {
  from: string;
  to: string;
  path: string;
}

export interface Picture {
  boxes: readonly Box[];
  lines: readonly Line[];
  width: number;
  height: number;
  /** How many flags are in the list alone. */
  left: number;
}

export function layout(flags: readonly Related[]): Picture {
  const levels = [...new Set(flags.map(({ level }) => level))]
    .filter(level => Math.abs(level) <= LEVELS)
    // What a flag requires is before it.
    .sort((a, b) => b - a);
  const columns = levels.map(level => flags.filter(flag => flag.level === level).slice(0, DRAWN));
  const tallest = Math.max(1, ...columns.map(column => column.length));
  const height = tallest * (BOX.height + BOX.gapY) - BOX.gapY;
  const boxes = columns.flatMap((column, place) => {
    const own = column.length * (BOX.height + BOX.gapY) - BOX.gapY;
    return column.map((flag, row) => ({
      flag,
      x: place * (BOX.width + BOX.gapX),
      y: (height - own) / 2 + row * (BOX.height + BOX.gapY),
    }));
  });
  const byKey = new Map(boxes.map(box => [box.flag.key, box]));
  const lines = boxes.flatMap(to =>
    to.flag.requires.flatMap(key => {
      const from = byKey.get(key);
      return from === undefined ? [] : [{ from: key, to: to.flag.key, path: pathOf(from, to) }];
    }),
  );
  const width = Math.max(1, columns.length) * (BOX.width + BOX.gapX) - BOX.gapX;
  return { boxes, lines, width, height, left: flags.length - boxes.length };
}

/** From the end of one box to the beginning of the other. Those of one column are joined around its side. */
function pathOf(from: Box, to: Box): string {
  const [x1, y1] = [from.x + BOX.width, from.y + BOX.height / 2];
  const [x2, y2] = [to.x, to.y + BOX.height / 2];
  const bend = Math.max(24, Math.abs(x2 - x1) / 2);
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}
