import { describe, expect, it } from 'vitest';
import { differences } from './differences';
import { plain } from './sentence';
import { edited, random, rule, rules, someState, state } from './testing';
import type { FlagFields, Names, StateFields } from './versions';

const NAMES: Names = {
  segment: key => (key === 'beta' ? 'Beta testers' : key),
  flag: key => key,
};

function said(before: Partial<StateFields>, after: Partial<StateFields>): string[] {
  return differences({ state: state(before) }, { state: state(after) }, NAMES).map(
    ({ mark, words }) => `${mark}: ${plain(words)}`,
  );
}

const BETA = rule('b', { description: 'Beta', percentage: 1000 });
const GERMANS = rule('g', {
  description: 'Germans',
  conditions: [{ attribute: 'country', operator: 'in', values: ['DE', 'AT'] }],
});
const STAFF = rule('s', { description: 'Staff', segment_keys: ['staff'] });

describe('a state', () => {
  it('that is the same has no differences', () => {
    expect(said({ rules: rules(BETA, GERMANS) }, { rules: rules(BETA, GERMANS) })).toEqual([]);
  });

  it('is switched on and off', () => {
    expect(said({}, { enabled: true })).toEqual(['changed: Switched on']);
    expect(said({ enabled: true }, {})).toEqual(['changed: Switched off']);
  });

  it('has a rollout, of which none is not the same as that of nobody', () => {
    expect(said({ percentage_rollout: 1000 }, { percentage_rollout: 2550 })).toEqual([
      'changed: Rollout: 10% → 25.5%',
    ]);
    expect(said({}, { percentage_rollout: 0 })).toEqual(['changed: Rollout: not set → 0% (no users)']);
    expect(said({ percentage_rollout: 10_000 }, {})).toEqual(['changed: Rollout: 100% → not set']);
  });

  it('has a default value, of which none is not the same as false', () => {
    expect(said({}, { default_value: false })).toEqual([
      'changed: Default value in this environment: not set → false',
    ]);
    expect(said({ default_value: { a: 1 } }, { default_value: { a: 1 } })).toEqual([]);
    expect(said({ default_value: { a: 1, b: 2 } }, { default_value: { b: 2, a: 1 } })).toEqual([]);
    expect(said({ default_value: { a: 1 } }, { default_value: { a: 2 } })).toEqual([
      'changed: Default value in this environment: {"a":1} → {"a":2}',
    ]);
  });

  it('tells of long values the part that differs', () => {
    const long = (end: string) => ({ text: 'x'.repeat(200), end });
    const [sentence] = said({ default_value: long('a') }, { default_value: long('b') });
    expect(sentence).toContain('"a"} → …');
    expect(sentence).toContain('"b"}');
    expect(sentence?.length).toBeLessThan(200);
    expect(said({}, { default_value: long('a') })[0]).toContain('not set → {"text":"xxx');
  });

  it('is scheduled at a time with its zone', () => {
    const [sentence] = said({}, { scheduled_enable_at: '2026-11-24T08:00:00Z' });
    expect(sentence).toMatch(/^changed: Switches on at: not set → .*2026.*(UTC|GMT|[A-Z]{2,4})/);
    expect(
      said(
        { scheduled_disable_at: '2026-11-24T08:00:00Z' },
        { scheduled_disable_at: '2026-11-24T09:00:00+01:00' },
      ),
    ).toEqual([]);
  });

  it('that was never stored is off', () => {
    expect(differences({ state: null }, { state: state() }, NAMES)).toEqual([]);
    expect(differences({ state: null }, { state: state({ enabled: true }) }, NAMES)).toHaveLength(1);
  });
});

describe('variants', () => {
  const two = [
    { key: 'blue', weight: 2000, value: 1 },
    { key: 'red', weight: 8000, value: 2 },
  ];

  it('get other weights and values', () => {
    expect(
      said(
        { variants: two },
        {
          variants: [
            { key: 'blue', weight: 3000, value: 1 },
            { key: 'red', weight: 7000, value: 'x' },
          ],
        },
      ),
    ).toEqual([
      'changed: Variant blue 20% → 30%',
      'changed: Variant red 80% → 70%',
      'changed: Variant red: value 2 → "x"',
    ]);
  });

  it('come and go', () => {
    expect(said({ variants: two }, { variants: [{ key: 'green', weight: 10_000, value: null }] })).toEqual([
      'removed: Variant blue removed, it had 20%',
      'removed: Variant red removed, it had 80%',
      'added: Variant green added: 100%, value null',
    ]);
  });

  it('in another order serve others', () => {
    expect(said({ variants: two }, { variants: two.toReversed() })).toEqual([
      'changed: Order of variants: blue, red → red, blue; some users change variant',
    ]);
  });
});

describe('rules', () => {
  it('get another percentage', () => {
    expect(said({ rules: rules(BETA) }, { rules: rules({ ...BETA, percentage: 2500 }) })).toEqual([
      'changed: Rule Beta: 10% → 25%',
    ]);
    const [nameless, all] = [{ ...GERMANS, description: '' }, rule('all')];
    const after = rules({ ...nameless, percentage: 2500 }, { ...all, percentage: 5000 });
    expect(said({ rules: rules(nameless, all) }, { rules: after })).toEqual([
      'changed: Rule 1 (country is one of DE, AT): 100% → 25%',
      'changed: Rule 2 (matches everyone): 100% → 50%',
    ]);
  });

  it('are added with what they say', () => {
    expect(said({ rules: rules(BETA) }, { rules: rules(GERMANS, BETA) })).toEqual([
      'added: Rule Germans added at place 1: country is one of DE, AT; serves true',
    ]);
    expect(said({}, { rules: [rule('x', { percentage: 2500, value: undefined })] })).toEqual([
      'added: Rule 1 added at place 1: matches everyone; serves the default to 25%',
    ]);
  });

  it('are removed', () => {
    expect(said({ rules: rules(BETA, STAFF) }, { rules: rules(BETA) })).toEqual([
      'removed: Rule Staff removed: in the segment staff; serves true',
    ]);
  });

  it('are moved, and only those that have to', () => {
    expect(said({ rules: rules(BETA, GERMANS, STAFF) }, { rules: rules(STAFF, BETA, GERMANS) })).toEqual([
      'changed: Rule Staff moved from place 3 to 1',
    ]);
  });

  it('are tried by priority, not as they are written', () => {
    const [beta, germans] = [
      { ...BETA, priority: 1 },
      { ...GERMANS, priority: 2 },
    ];
    expect(said({ rules: [beta, germans] }, { rules: [germans, beta] })).toEqual([
      'changed: Rules are stored in another order; the order in which they are tried stays the same',
    ]);
    expect(said({ rules: [beta, germans] }, { rules: [{ ...beta, priority: 9 }, germans] })).toHaveLength(1);
    expect(said({ rules: [beta, germans] }, { rules: [beta, { ...germans, priority: 7 }] })).toEqual([
      'changed: Priorities of rules are numbered anew; their order stays the same',
    ]);
  });

  it('get another name', () => {
    expect(said({ rules: rules(BETA) }, { rules: rules({ ...BETA, description: 'Testers' }) })).toEqual([
      'changed: Rule Beta renamed Testers',
    ]);
    const nameless = rule('n');
    expect(said({ rules: rules(nameless) }, { rules: rules({ ...nameless, description: 'All' }) })).toEqual([
      'changed: Rule 1: described as All',
    ]);
  });

  it('serve another value, of which none is not the same as null', () => {
    expect(said({ rules: rules(BETA) }, { rules: rules({ ...BETA, value: false }) })).toEqual([
      'changed: Rule Beta: serves true → false',
    ]);
    expect(
      said({ rules: rules({ ...BETA, value: undefined }) }, { rules: rules({ ...BETA, value: null }) }),
    ).toEqual(['changed: Rule Beta: serves the default → null']);
  });

  it('name segments by what people call them', () => {
    expect(said({ rules: rules(STAFF) }, { rules: rules({ ...STAFF, segment_keys: ['beta'] }) })).toEqual([
      'removed: Rule Staff: removed the segment staff',
      'added: Rule Staff: added the segment Beta testers',
    ]);
  });

  it('take all conditions or any', () => {
    expect(said({ rules: rules(GERMANS) }, { rules: rules({ ...GERMANS, match_type: 'any' }) })).toEqual([
      'changed: Rule Germans: any condition is enough; before, all were needed',
    ]);
  });
});

describe('conditions', () => {
  const under = (attribute: string, operator: string, ...values: string[]) => ({
    attribute,
    operator,
    values,
  });
  const said1 = (a: ReturnType<typeof under>[], b: ReturnType<typeof under>[]) =>
    said({ rules: rules({ ...BETA, conditions: a }) }, { rules: rules({ ...BETA, conditions: b }) });

  it('lose and gain values', () => {
    expect(said1([under('country', 'in', 'DE', 'AT')], [under('country', 'in', 'AT', 'FR')])).toEqual([
      'removed: Rule Beta, country is one of: removed DE',
      'added: Rule Beta, country is one of: added FR',
    ]);
  });

  it('are changed as a whole where no value stays', () => {
    expect(said1([under('age', 'gte', '18')], [under('age', 'gte', '21')])).toEqual([
      'changed: Rule Beta: age is at least 18 → age is at least 21',
    ]);
    expect(said1([under('country', 'in', 'DE')], [under('country', 'notIn', 'DE')])).toEqual([
      'changed: Rule Beta: country is one of DE → country is none of DE',
    ]);
  });

  it('come and go', () => {
    expect(said1([under('country', 'in', 'DE')], [under('plan', 'exists')])).toEqual([
      'removed: Rule Beta: removed the condition country is one of DE',
      'added: Rule Beta: added the condition plan is present',
    ]);
    expect(said1([], [under('plan', 'exists', 'False')])).toEqual([
      'added: Rule Beta: added the condition plan is missing',
    ]);
  });

  it('may stand in another order', () => {
    const [a, b] = [under('country', 'in', 'DE'), under('plan', 'eq', 'pro')];
    expect(said1([a, b], [b, a])).toEqual([
      'changed: Rule Beta: conditions are in another order; it matches the same users',
    ]);
  });
});

describe('a flag', () => {
  const flag: FlagFields = {
    name: 'Checkout',
    description: '',
    default_value: false,
    tags: ['shop'],
    prerequisites: [],
    mutual_exclusion_group: '',
  };

  it('has fields of its own', () => {
    const after = {
      ...flag,
      name: 'New checkout',
      description: 'Of 2026',
      tags: ['web'],
      prerequisites: ['payments'],
      mutual_exclusion_group: 'trials',
    };
    expect(differences({ flag }, { flag: after }, NAMES).map(({ words }) => plain(words))).toEqual([
      'Name: Checkout → New checkout',
      'Description added: Of 2026',
      'Removed the tag shop',
      'Added the tag web',
      'Added the prerequisite payments',
      'Mutual exclusion group: none → trials',
    ]);
  });

  it('is created and deleted', () => {
    expect(differences({ flag: null }, { flag }, NAMES).map(({ words }) => plain(words))).toEqual([
      'The flag Checkout was created',
    ]);
    expect(differences({ flag }, { flag: null }, NAMES)).toHaveLength(1);
  });
});

it('says something exactly where something differs', () => {
  for (let seed = 0; seed < 400; seed += 1) {
    const next = random(seed);
    const before = someState(next);
    const after = edited(next, before, 'x');
    const isSame = JSON.stringify(before) === JSON.stringify(after);
    expect(differences({ state: before }, { state: after }, NAMES).length === 0, `seed ${seed}`).toBe(isSame);
  }
});
