/** The difference between two versions of a flag, in sentences and in the words of the API. */

import { isSame } from '../flagState/isSame';
import { listDifferences } from './listDifferences';
import { sentences as say } from './messages';
import { ruleDifferences } from './ruleDifferences';
import { added, changed, removed, type Sentence } from './sentence';
import { moved } from './sequence';
import { type FlagFields, type Names, NO_STATE, type Parts, type StateFields, sameTime } from './versions';

export function differences(before: Parts, after: Parts, names: Names): Sentence[] {
  return [
    ...(before.flag === undefined || after.flag === undefined
      ? []
      : flagDifferences(before.flag, after.flag, names)),
    ...(before.state === undefined || after.state === undefined
      ? []
      : stateDifferences(before.state ?? NO_STATE, after.state ?? NO_STATE, names)),
  ];
}

function stateDifferences(before: StateFields, after: StateFields, names: Names): Sentence[] {
  const found: Sentence[] = [];
  if (before.enabled !== after.enabled) {
    found.push(changed(say.state.enabled(after.enabled)));
  }
  if (!isSame(before.default_value ?? null, after.default_value ?? null)) {
    found.push(changed(say.state.defaultValue(before.default_value, after.default_value)));
  }
  if (before.percentage_rollout !== after.percentage_rollout) {
    found.push(changed(say.state.rollout(before.percentage_rollout, after.percentage_rollout)));
  }
  found.push(...ruleDifferences(before.rules, after.rules, names));
  found.push(...variantDifferences(before, after));
  if (!sameTime(before.scheduled_enable_at, after.scheduled_enable_at)) {
    found.push(changed(say.state.enableAt(before.scheduled_enable_at, after.scheduled_enable_at)));
  }
  if (!sameTime(before.scheduled_disable_at, after.scheduled_disable_at)) {
    found.push(changed(say.state.disableAt(before.scheduled_disable_at, after.scheduled_disable_at)));
  }
  return found;
}

function variantDifferences({ variants: before }: StateFields, { variants: after }: StateFields): Sentence[] {
  const found: Sentence[] = [];
  for (const { key, weight } of before) {
    if (!after.some(variant => variant.key === key)) found.push(removed(say.variant.removed(key, weight)));
  }
  for (const variant of after) {
    const earlier = before.find(({ key }) => key === variant.key);
    if (earlier === undefined) {
      found.push(added(say.variant.added(variant.key, variant.weight, variant.value)));
      continue;
    }
    if (earlier.weight !== variant.weight) {
      found.push(changed(say.variant.weight(variant.key, earlier.weight, variant.weight)));
    }
    if (!isSame(earlier.value, variant.value)) {
      found.push(changed(say.variant.value(variant.key, earlier.value, variant.value)));
    }
  }
  const [a, b] = [before.map(({ key }) => key), after.map(({ key }) => key)];
  if (moved(a, b).size > 0) found.push(changed(say.variant.order(a, b)));
  return found;
}

function flagDifferences(before: FlagFields | null, after: FlagFields | null, names: Names): Sentence[] {
  if (before === null && after === null) return [];
  if (after === null) return [removed(say.flag.deleted())];
  if (before === null) return [added(say.flag.created(after.name))];
  const found: Sentence[] = [];
  if (before.name !== after.name) found.push(changed(say.flag.name(before.name, after.name)));
  if (before.description !== after.description) {
    found.push(changed(say.flag.description(before.description, after.description)));
  }
  if (!isSame(before.default_value, after.default_value)) {
    found.push(changed(say.flag.defaultValue(before.default_value, after.default_value)));
  }
  found.push(
    ...listDifferences(before.tags, after.tags, {
      added: say.flag.tagAdded,
      removed: say.flag.tagRemoved,
      reordered: say.flag.tagsReordered,
    }),
    ...listDifferences(before.prerequisites, after.prerequisites, {
      added: key => say.flag.prerequisiteAdded(names.flag(key)),
      removed: key => say.flag.prerequisiteRemoved(names.flag(key)),
      reordered: say.flag.prerequisitesReordered,
    }),
  );
  if (before.mutual_exclusion_group !== after.mutual_exclusion_group) {
    found.push(changed(say.flag.group(before.mutual_exclusion_group, after.mutual_exclusion_group)));
  }
  return found;
}
