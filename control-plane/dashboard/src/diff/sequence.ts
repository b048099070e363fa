/** Lists whose items are known by an id: what moved, and how two changes of an order go together. */

/** The ids that have to move to turn one order into the other; as few as possible. */
export function moved(before: readonly string[], after: readonly string[]): Set<string> {
  const place = new Map(before.map((id, index) => [id, index]));
  const common = after.filter(id => place.has(id));
  const stays = new Set(longestRising(common.map(id => place.get(id) ?? 0)).map(index => common[index]));
  return new Set(common.filter(id => !stays.has(id)));
}

/** The indices of a longest subsequence that only rises. */
function longestRising(values: readonly number[]): number[] {
  const best: { length: number; from: number }[] = [];
  let last = -1;
  values.forEach((value, index) => {
    let entry = { length: 1, from: -1 };
    for (let earlier = 0; earlier < index; earlier += 1) {
      const other = best[earlier];
      if (other !== undefined && (values[earlier] ?? 0) < value && other.length + 1 > entry.length) {
        entry = { length: other.length + 1, from: earlier };
      }
    }
    best.push(entry);
    if (last < 0 || entry.length > (best[last]?.length ?? 0)) last = index;
  });
  const found: number[] = [];
  for (let index = last; index >= 0; index = best[index]?.from ?? -1) found.unshift(index);
  return found;
}

/**
 * The order of `ids` after two changes of the same order, or `null` when both moved the same items to different
 * places. What one side added comes after what it follows there.
 */
export function mergeOrder(
  base: readonly string[],
  mine: readonly string[],
  theirs: readonly string[],
  ids: ReadonlySet<string>,
  chosen?: 'mine' | 'theirs',
): string[] | null {
  const shared = new Set(base.filter(id => ids.has(id) && mine.includes(id) && theirs.includes(id)));
  const of = (order: readonly string[]) => order.filter(id => shared.has(id)).join('\0');
  const isMine = of(mine) !== of(base);
  const isTheirs = of(theirs) !== of(base);
  if (isMine && isTheirs && of(mine) !== of(theirs) && chosen === undefined) return null;
  const leads = chosen === 'mine' || (chosen === undefined && isMine && !isTheirs);
  const [first, second, third] = leads ? [mine, theirs, base] : [theirs, mine, base];
  const result = first.filter(id => ids.has(id));
  insertMissing(result, second, ids);
  insertMissing(result, third, ids);
  return result;
}

function insertMissing(result: string[], order: readonly string[], ids: ReadonlySet<string>): void {
  order.forEach((id, index) => {
    if (!ids.has(id) || result.includes(id)) return;
    const before = order.slice(0, index).findLast(earlier => result.includes(earlier));
    result.splice(before === undefined ? 0 : result.indexOf(before) + 1, 0, id);
  });
}
