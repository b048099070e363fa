/** The difference between two versions of a segment. */
import { compareConditions } from './conditionDifferences';
import { segmentSentences as say } from './messages';
import { added, changed, removed, type Sentence } from './sentence';
import type { Condition } from './versions';

export interface SegmentFields {
  name: string;
  description?: string;
  match_type?: string;
  rules: readonly Condition[];
}

export function segmentDifferences(before: SegmentFields, after: SegmentFields): Sentence[] {
  const found: Sentence[] = [];
  if (before.name !== after.name) found.push(changed(say.name(before.name, after.name)));
  if ((before.description ?? '') !== (after.description ?? '')) found.push(changed(say.description()));
  if (before.match_type !== after.match_type) found.push(changed(say.matchType(after.match_type ?? 'all')));
  const { gone, pairs, come } = compareConditions(before.rules, after.rules);
  found.push(
    ...gone.map(one => removed(say.conditionRemoved(one))),
    ...pairs.map(([a, b]) => changed(say.conditionChanged(a, b))),
    ...come.map(one => added(say.conditionAdded(one))),
  );
  return found;
}
