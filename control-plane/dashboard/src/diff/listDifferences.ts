import { isSame } from '../flagState/isSame';
import { added, changed, removed, type Sentence, type Words } from './sentence';

interface ListWords {
  added: (item: string) => Words;
  removed: (item: string) => Words;
  reordered: () => Words;
}

/** Lists whose order has no effect: it is mentioned only where nothing else changed. */
export function listDifferences(
  before: readonly string[],
  after: readonly string[],
  words: ListWords,
): Sentence[] {
  const found = [
    ...before.filter(item => !after.includes(item)).map(item => removed(words.removed(item))),
    ...after.filter(item => !before.includes(item)).map(item => added(words.added(item))),
  ];
  return found.length === 0 && !isSame(before, after) ? [changed(words.reordered())] : found;
}
