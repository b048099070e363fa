import type { Condition } from '../../api/model';
import { compareConditions, compareValues } from '../../diff/conditionDifferences';
import { changedFields } from '../../diff/mergeFields';
import { added, changed, removed, type Sentence } from '../../diff/sentence';
import { segmentChanges as say } from './messages';
import type { SegmentFields } from './queries';

/** The difference that saving a segment makes, in sentences. */
export function segmentDifferences(before: SegmentFields, after: SegmentFields): Sentence[] {
  const fields = changedFields(before, after);
  const sentences: Sentence[] = [];
  if ('name' in fields) sentences.push(changed(say.name(before.name, after.name)));
  if ('description' in fields)
    sentences.push(changed(say.description(before.description, after.description)));
  if ('match_type' in fields) sentences.push(changed(say.match(after.match_type === 'any')));
  if ('rules' in fields) sentences.push(...conditionSentences(before.rules, after.rules));
  return sentences;
}

/** Whether other people may be in the segment afterwards, so that answers of flags change. */
export function changesMembership(before: SegmentFields, after: SegmentFields): boolean {
  const { gone, pairs, come } = compareConditions(before.rules, after.rules);
  if (gone.length + pairs.length + come.length > 0) return true;
  return before.match_type !== after.match_type && after.rules.length > 1;
}

function conditionSentences(before: readonly Condition[], after: readonly Condition[]): Sentence[] {
  const { gone, pairs, come } = compareConditions(before, after);
  const found = [
    ...gone.map(condition => removed(say.removed(condition))),
    ...pairs.flatMap(([a, b]) => pairSentences(a, b)),
    ...come.map(condition => added(say.added(condition))),
  ];
  if (found.length === 0) return [changed(say.reordered())];
  if (after.length === 0) found.push(changed(say.emptied()));
  return found;
}

function pairSentences(before: Condition, after: Condition): Sentence[] {
  const values = compareValues(before, after);
  if (values === null) return [changed(say.condition(before, after))];
  const { gone, came } = values;
  return [
    ...(gone.length > 0 ? [removed(say.valuesRemoved(after, gone))] : []),
    ...(came.length > 0 ? [added(say.valuesAdded(after, came))] : []),
  ];
}
