/** Two JSON documents line by line. */

export interface Line {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/** Beyond it finding the fewest changed lines takes too long; then everything between equal ends counts as changed. */
const MOST_PAIRS = 4_000_000;

export function jsonLines(before: unknown, after: unknown): Line[] {
  return lines(pretty(before), pretty(after));
}

function pretty(value: unknown): string[] {
  return value === undefined ? [] : JSON.stringify(value, null, 2).split('\n');
}

export function lines(before: readonly string[], after: readonly string[]): Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const shorter = Math.min(before.length, after.length) - start;
  while (end < shorter && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const left = before.slice(start, before.length - end);
  const right = after.slice(start, after.length - end);
  return [
    ...before.slice(0, start).map(text => line('same', text)),
    ...(left.length * right.length > MOST_PAIRS
      ? [...left.map(text => line('removed', text)), ...right.map(text => line('added', text))]
      : between(left, right)),
    ...before.slice(before.length - end).map(text => line('same', text)),
  ];
}

function line(kind: Line['kind'], text: string): Line {
  return { kind, text };
}

/** By the longest common subsequence. */
function between(left: readonly string[], right: readonly string[]): Line[] {
  const width = right.length + 1;
  const common = new Uint32Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1) {
      common[i * width + j] =
        left[i] === right[j]
          ? (common[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(common[(i + 1) * width + j] ?? 0, common[i * width + j + 1] ?? 0);
    }
  }
  const found: Line[] = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    const [a, b] = [left[i], right[j]];
    if (a !== undefined && a === b) {
      found.push(line('same', a));
      i += 1;
      j += 1;
    } else if (
      a !== undefined &&
      (b === undefined || (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0))
    ) {
      found.push(line('removed', a));
      i += 1;
    } else if (b !== undefined) {
      found.push(line('added', b));
      j += 1;
    }
  }
  return found;
}

export type Block = { kind: 'lines'; lines: Line[] } | { kind: 'hidden'; count: number };

/** Long runs of equal lines are counted in place of being shown, but for `around` lines beside a change. */
export function folded(all: readonly Line[], around = 3): Block[] {
  const isNear = all.map((_, index) =>
    all.slice(Math.max(0, index - around), index + around + 1).some(({ kind }) => kind !== 'same'),
  );
  const blocks: Block[] = [];
  all.forEach((one, index) => {
    const last = blocks.at(-1);
    if (isNear[index]) {
      if (last?.kind === 'lines') last.lines.push(one);
      else blocks.push({ kind: 'lines', lines: [one] });
    } else if (last?.kind === 'hidden') last.count += 1;
    else blocks.push({ kind: 'hidden', count: 1 });
  });
  return blocks;
}
