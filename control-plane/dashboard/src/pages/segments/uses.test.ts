import { expect, it } from 'vitest';
import { countUses } from './uses';

it('an environment counts once, however many flags use the segment there', () => {
  const flags = [
    { key: 'a', env_ids: ['dev', 'live'] },
    { key: 'b', env_ids: ['live'] },
  ];
  expect(countUses({ flags, total: 2 })).toEqual({ flags: 2, environments: 2 });
});

it('flags beyond those that are listed count as well', () => {
  expect(countUses({ flags: [{ key: 'a', env_ids: ['dev'] }], total: 1200 }).flags).toBe(1200);
});
