/** Names that are near to a mistyped one. */

/** Letters that may be missing, added, changed or turned around, by the length of what was typed. */
function allowed(length: number): number {
  return length < 4 ? 0 : length < 7 ? 1 : 2;
}

interface Named {
  key: string;
  name: string;
}

/** The flags that have a word that is near to each one that was typed; the nearest first. */
export function nearest<T extends Named>(typed: string, flags: readonly T[], most: number): T[] {
  const words = wordsOf(typed);
  const rated = flags.flatMap(flag => {
    const own = [...wordsOf(flag.key), ...wordsOf(flag.name)];
    let sum = 0;
    for (const word of words) {
      const best = Math.min(...own.map(other => distance(word, other)));
      if (best > allowed(word.length)) return [];
      sum += best;
    }
    return [{ flag, sum }];
  });
  rated.sort((a, b) => a.sum - b.sum);
  return rated.slice(0, most).map(({ flag }) => flag);
}

/** Beginnings of the first word, to ask the service for candidates: a mistake is rarely in the first letters. */
export function beginningOf(typed: string): string {
  return (wordsOf(typed)[0] ?? '').slice(0, 2);
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{Letter}\p{Number}]+/u)
    .filter(word => word !== '');
}

/** How many edits lead from one word to another; two letters that changed places are one. */
export function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(least);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
