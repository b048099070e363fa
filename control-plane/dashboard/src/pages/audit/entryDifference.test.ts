import { expect, it } from 'vitest';
import { plain } from '../../diff/sentence';
import { entryDifference } from './entryDifference';

const state = {
  id: '1',
  enabled: false,
  default_value: null,
  rules: [],
  percentage_rollout: null,
  variants: [],
  scheduled_enable_at: null,
  scheduled_disable_at: null,
  updated_at: '2026-01-01T00:00:00Z',
};
const flag = {
  name: 'Checkout',
  description: '',
  default_value: false,
  tags: [],
  prerequisites: [],
  mutual_exclusion_group: '',
};
const segment = { name: 'Testers', match_type: 'all', rules: [] };
const country = { attribute: 'country', operator: 'in', values: ['DE'] };

it.each([
  [
    'flag',
    state,
    { ...state, enabled: true, percentage_rollout: 2500 },
    ['Switched on', 'Rollout: not set → 25%'],
  ],
  ['flag', null, { ...state, enabled: true }, ['Switched on']],
  ['flag', flag, { ...flag, tags: ['web'] }, ['Added the tag web']],
  ['flag', null, flag, []],
  ['flag', flag, null, []],
  ['segment', segment, { ...segment, match_type: 'any' }, ['Any condition is enough now']],
  ['segment', segment, { ...segment, rules: [country] }, ['Added the condition country is one of DE']],
  ['role', { name: 'Ops' }, { name: 'Operators' }, ['name: "Ops" → "Operators"']],
  ['environment', { required_approvals: 1 }, { required_approvals: 2 }, ['required approvals: 1 → 2']],
  ['project', { name: 'a' }, { name: 'a', updated_at: 'now' }, []],
])('%s: %o to %o', (resource_type, before_state, after_state, expected) => {
  const found = entryDifference({ resource_type, before_state, after_state } as never);
  expect(found.map(({ words }) => plain(words))).toEqual(expected);
});

it('a state of which a part is left out is compared field by field', () => {
  const omitted = { omitted: { bytes: 9, sha256: 'x' } };
  const before_state = { ...state, rules: omitted };
  const after_state = { ...state, rules: omitted, enabled: true };
  const found = entryDifference({ resource_type: 'flag', before_state, after_state } as never);
  expect(found.map(({ words }) => plain(words))).toEqual(['enabled: false → true']);
});
