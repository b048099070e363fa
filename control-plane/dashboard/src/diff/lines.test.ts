import { expect, it } from 'vitest';
import { folded, jsonLines, lines } from './lines';

const text = (all: ReturnType<typeof lines>) =>
  all.map(({ kind, text: words }) => `${{ same: ' ', removed: '-', added: '+' }[kind]}${words}`);

it('tells lines that came and went', () => {
  expect(text(lines(['a', 'b', 'c', 'd'], ['a', 'x', 'c', 'd', 'e']))).toEqual([
    ' a',
    '-b',
    '+x',
    ' c',
    ' d',
    '+e',
  ]);
  expect(text(lines([], ['a']))).toEqual(['+a']);
  expect(text(lines(['a'], []))).toEqual(['-a']);
  expect(text(lines(['a', 'a'], ['a']))).toEqual([' a', '-a']);
});

it('gives both documents back', () => {
  const before = { a: 1, list: [1, 2, 3], same: { x: null } };
  const after = { a: 2, list: [1, 3, 4], same: { x: null } };
  const all = jsonLines(before, after);
  const only = (kind: string) =>
    JSON.parse(
      all
        .filter(line => line.kind === 'same' || line.kind === kind)
        .map(line => line.text)
        .join('\n'),
    );
  expect(only('removed')).toEqual(before);
  expect(only('added')).toEqual(after);
});

it('counts what is the same far from a change', () => {
  const many = Array.from({ length: 20 }, (_, index) => String(index));
  const blocks = folded(lines(many, many.with(10, 'x')), 2);
  expect(blocks.map(block => (block.kind === 'hidden' ? block.count : block.lines.length))).toEqual([
    8, 6, 7,
  ]);
  expect(folded(lines(many, many))).toEqual([{ kind: 'hidden', count: 20 }]);
});
