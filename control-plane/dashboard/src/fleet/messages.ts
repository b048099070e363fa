import { list, number, plural } from '../messages/format';

/** Edges that are named; the others are counted. */
const NAMED = 5;

/** Text about the propagation of a change, loaded with its widget. */
export const fleet = {
  sending: () => 'On its way to the edges',
  none: () => 'Saved. No edge is connected to serve it; those that connect will.',
  /** `ms` is until the slowest edge so far; unknown without the event stream. */
  serving: (served: number, total: number, ms: number | null) =>
    `Serving on ${ofEdges(served, total)}${ms === null ? '' : `, ${number(ms)} ms`}`,
  off: (served: number, total: number, ms: number | null) =>
    `Off on ${ofEdges(served, total)}${ms === null ? '' : ` after ${number(ms)} ms`}`,
  waiting: (edges: readonly string[]) => `waiting for ${named(edges)}`,
  lagging: (edges: readonly string[]) => `not there yet: ${named(edges)}`,
  both: (first: string, second: string) => `${first}; ${second}`,
};

function ofEdges(served: number, total: number): string {
  return `${number(served)} of ${plural(total, 'edge', 'edges')}`;
}

function named(edges: readonly string[]): string {
  const others = edges.length - NAMED;
  return list(others > 0 ? [...edges.slice(0, NAMED), `${number(others)} more`] : edges);
}
