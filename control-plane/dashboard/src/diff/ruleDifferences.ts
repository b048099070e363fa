import { inOrder } from '../flagState/draft';
import { isSame } from '../flagState/isSame';
import { conditionDifferences } from './conditionDifferences';
import { listDifferences } from './listDifferences';
import { condition as inWords, sentences as say } from './messages';
import { added, changed, removed, type Sentence, type Words } from './sentence';
import { moved } from './sequence';
import type { Names, Rule } from './versions';

/** Rules are known by their id, and named by their description, else by their place. */
export function ruleDifferences(before: readonly Rule[], after: readonly Rule[], names: Names): Sentence[] {
  const [a, b] = [inOrder(before), inOrder(after)];
  const [idsA, idsB] = [a.map(({ id }) => id), b.map(({ id }) => id)];
  const movedIds = moved(idsA, idsB);
  const found: Sentence[] = [];

  a.forEach((rule, index) => {
    if (idsB.includes(rule.id)) return;
    found.push(
      removed(say.rule.removed({ name: rule.description, place: index + 1 }, contents(rule, names))),
    );
  });
  b.forEach((rule, index) => {
    const from = idsA.indexOf(rule.id);
    const earlier = a[from];
    const of = earlier ?? rule;
    const named = { name: of.description, place: index + 1, whom: joinedWhom(of, names) };
    if (earlier === undefined) {
      found.push(added(say.rule.added(named, contents(rule, names))));
      return;
    }
    if (movedIds.has(rule.id)) found.push(changed(say.rule.moved(named, from + 1, index + 1)));
    found.push(...changesOf(earlier, rule, named, names));
  });

  if (found.length === 0 && !isSame(before, after)) {
    const isRenumbered = a.some((rule, index) => rule.priority !== b[index]?.priority);
    found.push(changed(isRenumbered ? say.state.renumbered() : say.state.restacked()));
  }
  return found;
}

function changesOf(
  before: Rule,
  after: Rule,
  named: { name: string; place: number; whom: Words },
  names: Names,
): Sentence[] {
  const found: Sentence[] = [];
  if (before.description !== after.description)
    found.push(changed(say.rule.renamed(named, after.description)));
  if (before.match_type !== after.match_type)
    found.push(changed(say.rule.matchType(named, after.match_type)));
  found.push(...conditionDifferences(before.conditions, after.conditions, named));
  found.push(
    ...listDifferences(before.segment_keys, after.segment_keys, {
      added: key => say.rule.segmentAdded(named, names.segment(key)),
      removed: key => say.rule.segmentRemoved(named, names.segment(key)),
      reordered: () => say.rule.segmentsReordered(named),
    }),
  );
  if (before.percentage !== after.percentage) {
    found.push(changed(say.rule.percentage(named, before.percentage, after.percentage)));
  }
  if (!isSame(before.value, after.value)) {
    found.push(changed(say.rule.value(named, before.value, after.value)));
  }
  return found;
}

/** A whole rule in words: whom it matches, and the value that it serves. */
function contents(rule: Rule, names: Names): Words[] {
  return [...whom(rule, names), say.rule.partServes(rule.value, rule.percentage)];
}

function joinedWhom(rule: Rule, names: Names): Words {
  return whom(rule, names).flatMap((part, index) => (index === 0 ? part : ['; ', ...part]));
}

function whom(rule: Rule, names: Names): Words[] {
  const parts: Words[] = [];
  if (rule.segment_keys.length > 0) parts.push(say.rule.partSegments(rule.segment_keys.map(names.segment)));
  if (rule.conditions.length > 0)
    parts.push(say.rule.partConditions(rule.conditions.map(inWords), rule.match_type));
  if (parts.length === 0) parts.push(say.rule.partEveryone());
  return parts;
}
