import { describe, expect, it } from 'vitest';
import { conditionWords } from '../../../conditions/messages';
import { draftOf } from '../../../flagState/draft';
import { newRule } from './edit';
import { emptySegments, notesOf, restOf } from './explained';
import { ruleWords } from './messages';

const rules = [newRule('a', true), newRule('b', true)];

it('warnings stand beside the rule that they are about', () => {
  const warnings = [
    { place: 'rules[1]', message: 'never reached: rules[0] serves everyone whom it matches' },
    { place: 'rules[1].conditions[0]', message: 'does not match contexts without my%20plan' },
    { place: 'rules[0].segment_keys', message: 'no segment has the key %C3%BC' },
    { place: 'rules[0].percentage', message: '25 is 0.25 %, and 2500 is 25 %' },
    { place: 'percentage_rollout', message: '25 is 0.25 %, and 2500 is 25 %' },
    { place: 'rules[7]', message: 'of a rule that is gone' },
  ];
  const notes = notesOf({ rules, warnings });
  const texts = [...notes].map(([id, messages]) => [id, messages.map(conditionWords.note)]);
  expect(Object.fromEntries(texts)).toEqual({
    a: ['No segment has the key ü.'],
    b: ['Never reached: rule 1 serves everyone whom it matches.', 'Does not match users without my plan.'],
  });
});

it('segments without conditions are named', () => {
  const segments = [
    { key: 'beta', rules: [] },
    { key: 'full', rules: [1] },
  ];
  const rule = { ...newRule('a', true), segment_keys: ['beta', 'full', 'unknown'] };
  expect(emptySegments(rule, segments)).toEqual(['beta']);
});

describe('what contexts get that no rule serves', () => {
  const flag = { flag_type: 'boolean', default_value: false } as const;
  const test = { flag_type: 'ab', default_value: {} } as const;
  const variants = [{ key: 'a', value: 1, weight: 10_000 }];
  const on = { ...draftOf({ enabled: false }), enabled: true };
  const values = { fallthrough_value: true, unset_value: true, rule_value: true, last_rule_id: null };

  it.each([
    [flag, { enabled: false }, false, 'The flag is off: everyone gets false.'],
    [flag, {}, false, 'Everyone gets true.'],
    [flag, { rules }, true, 'Everyone else gets true.'],
    [flag, { percentage_rollout: 2500 }, false, '25% of all users get true, the rest get false.'],
    [flag, { percentage_rollout: 0 }, false, 'Everyone gets false: the rollout is 0%.'],
    [test, { variants }, false, 'Everyone gets one of the variants.'],
    [
      test,
      { variants, percentage_rollout: 100 },
      false,
      '1% of all users get one of the variants, the rest get {}.',
    ],
    [test, {}, false, 'Everyone gets true.'],
    [flag, { rules, percentage_rollout: 2500 }, true, '25% of all other users get true, the rest get false.'],
  ])('%j with %j reads: %s', (of, change, hasRules, sentence) => {
    const rest = restOf(of, { ...on, ...change }, values);
    expect(rest === null ? '' : ruleWords.rest(rest, hasRules)).toBe(sentence);
  });

  it('is nothing behind a rule that takes everyone, and not known before the service answers', () => {
    expect(restOf(flag, { ...on, rules }, { ...values, last_rule_id: 'b' })).toEqual({
      kind: 'nobody',
      place: 1,
    });
    expect(restOf(flag, on, null)).toBeNull();
  });
});
