import { expect, it } from 'vitest';
import { pictureOf } from './picture';
import { rowsOf } from './rows';
import { edge, gone } from './testing';

const NOW = Date.parse('2026-05-04T12:00:00Z');
const picture = (edges: Parameters<typeof rowsOf>[0]) => pictureOf(rowsOf(edges, undefined, NOW));

it('each level is a column, and those that are not connected are apart', () => {
  const { boxes } = picture([
    edge('built-in-1', { kind: 'built-in', rtt_ms: null }),
    edge('r', { kind: 'relay', region: 'eu' }),
    edge('a', { region: 'eu', via: 'r' }),
    edge('b', { region: 'us' }),
    edge('c', gone),
  ]);
  expect(boxes.map(({ id, x }) => [id, x / 252])).toEqual([
    ['root', 0],
    ['relay-r', 1],
    ['group-r-eu', 2],
    ['group--us', 1],
    ['apart', 1],
  ]);
  expect(boxes[0]?.marks.map(({ row }) => row.name)).toEqual(['built-in-1']);
  expect(boxes.map(({ from }) => from === null)).toEqual([true, false, false, false, true]);
});

it('nothing overlaps, and lines begin at the middle of what they come from', () => {
  const edges = Array.from({ length: 40 }, (_, at) => edge(`e${at}`, { region: `r${at % 7}` }));
  const { boxes, height } = picture(edges);
  const column = boxes.filter(({ x }) => x > 0).sort((a, b) => a.y - b.y);
  for (const [at, box] of column.entries()) {
    const next = column[at + 1];
    if (next !== undefined) expect(box.y + box.height).toBeLessThan(next.y);
    expect(box.y + box.height).toBeLessThanOrEqual(height);
  }
  const [root] = boxes;
  expect(root && column[0]?.from).toEqual({ x: 196, y: root && root.y + root.height / 2 });
});

it('of 500 edges those in trouble are drawn and the others are counted', () => {
  const edges = Array.from({ length: 500 }, (_, at) =>
    edge(
      `e${at}`,
      at === 499 ? { lag: [{ env_id: 'prod', versions: 1, since: '2026-05-04T11:59:00Z' }] } : {},
    ),
  );
  const { boxes } = picture(edges);
  const group = boxes.find(({ title }) => title.kind === 'region');
  expect(group?.more).toBe(468);
  expect(group?.marks).toHaveLength(32);
  expect(group?.marks[0]?.row.name).toBe('e499');
});

it('relays that name each other are drawn once', () => {
  const { boxes } = picture([
    edge('x', { kind: 'relay', via: 'y' }),
    edge('y', { kind: 'relay', via: 'x' }),
    edge('a', { via: 'x' }),
  ]);
  expect(boxes.map(({ id }) => id)).toEqual(['root']);
});
