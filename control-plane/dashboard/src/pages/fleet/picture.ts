/**
 * The fleet as a picture: the control plane, relays, and edges by region, each column a level. Groups with many edges draw those in
 * trouble and a few others, and count the rest.
 */
import { isTroubled, type Row } from './rows';

/** Up to so many edges of a group have their names beside them. */
const NAMED = 8;
/** Up to so many are drawn. */
const DRAWN = 32;

const WIDTH = 196;
const COLUMN = WIDTH + 56;
const HEAD = 28;
const NAMED_LINE = 24;
const MARK = 22;
const IN_A_LINE = 8;
const FOOT = 8;
const GAP = 12;

export interface Mark {
  row: Row;
  /** The middle of its shape. */
  x: number;
  y: number;
  isNamed: boolean;
}

export type Title =
  | { kind: 'root' }
  | { kind: 'relay'; row: Row }
  | { kind: 'region'; region: string | null; count: number }
  | { kind: 'apart'; count: number };

export interface Box {
  id: string;
  title: Title;
  x: number;
  y: number;
  width: number;
  height: number;
  marks: readonly Mark[];
  /** Edges that are counted only. */
  more: number;
  /** Where the line to it begins; none for the first, and for edges that are not connected. */
  from: { x: number; y: number } | null;
}

export interface Picture {
  width: number;
  height: number;
  boxes: readonly Box[];
}

interface Node {
  id: string;
  title: Title;
  rows: readonly Row[];
  children: readonly Node[];
  isApart: boolean;
}

export function pictureOf(rows: readonly Row[]): Picture {
  const boxes: Box[] = [];
  const height = place(tree(rows), 0, 0, null, boxes);
  const width = boxes.reduce((most, box) => Math.max(most, box.x + box.width), 0);
  return { width, height, boxes };
}

function tree(rows: readonly Row[]): Node {
  const connected = rows.filter(({ edge }) => edge.connected);
  const apart = rows.filter(({ edge }) => !edge.connected);
  const relays = new Set(connected.filter(({ edge }) => edge.kind === 'relay').map(({ name }) => name));
  const placed = new Set<string>();

  const below = (parent: string | undefined): Node[] => {
    const own = connected.filter(row => {
      const via = row.edge.via !== undefined && relays.has(row.edge.via) ? row.edge.via : undefined;
      return row.edge.kind !== 'built-in' && via === parent && !placed.has(row.name);
    });
    for (const row of own) placed.add(row.name);
    const nodes = own
      .filter(({ name }) => relays.has(name))
      .map<Node>(row => ({
        id: `relay-${row.name}`,
        title: { kind: 'relay', row },
        rows: [],
        children: below(row.name),
        isApart: false,
      }));
    const regions = new Map<string | null, Row[]>();
    for (const row of own.filter(({ name }) => !relays.has(name))) {
      const members = regions.get(row.edge.region);
      if (members === undefined) regions.set(row.edge.region, [row]);
      else members.push(row);
    }
    const groups = [...regions].map<Node>(([region, members]) => ({
      id: `group-${parent ?? ''}-${region ?? ''}`,
      title: { kind: 'region', region, count: members.length },
      rows: members,
      children: [],
      isApart: false,
    }));
    return [...nodes, ...groups.sort((a, b) => a.id.localeCompare(b.id))];
  };

  const children = below(undefined);
  if (apart.length > 0) {
    const title: Title = { kind: 'apart', count: apart.length };
    children.push({ id: 'apart', title, rows: apart, children: [], isApart: true });
  }
  const builtIn = connected.filter(({ edge }) => edge.kind === 'built-in');
  return { id: 'root', title: { kind: 'root' }, rows: builtIn, children, isApart: false };
}

/** Places a node and what is below it; gives the height of all of it. */
function place(node: Node, depth: number, top: number, from: Box['from'], boxes: Box[]): number {
  const drawn = node.rows.length > DRAWN ? chosen(node.rows) : node.rows;
  const isNamed = drawn.length <= NAMED;
  const more = node.rows.length - drawn.length;
  const lines = isNamed ? drawn.length : Math.ceil(drawn.length / IN_A_LINE);
  const own = HEAD + lines * (isNamed ? NAMED_LINE : MARK) + (more > 0 ? NAMED_LINE : 0) + FOOT;
  const x = depth * COLUMN;
  const index = boxes.length;
  const out = { x: x + WIDTH, y: 0 };

  let bottom = top;
  for (const child of node.children) {
    bottom += place(child, depth + 1, bottom, out, boxes) + GAP;
  }
  const ofChildren = node.children.length === 0 ? 0 : bottom - GAP - top;
  const height = Math.max(own, ofChildren);
  const y = top + (height - own) / 2;
  out.y = y + own / 2;

  const marks = drawn.map<Mark>((row, at) => ({
    row,
    x: x + 16 + (isNamed ? 0 : (at % IN_A_LINE) * MARK),
    y: y + HEAD + (isNamed ? at * NAMED_LINE : Math.floor(at / IN_A_LINE) * MARK) + 11,
    isNamed,
  }));
  const box: Box = {
    id: node.id,
    title: node.title,
    x,
    y,
    width: WIDTH,
    height: own,
    marks,
    more,
    from: node.isApart ? null : from,
  };
  boxes.splice(index, 0, box);
  return height;
}

/** Those in trouble first, as many as are drawn. */
function chosen(rows: readonly Row[]): Row[] {
  return [...rows.filter(isTroubled), ...rows.filter(row => !isTroubled(row))].slice(0, DRAWN);
}
