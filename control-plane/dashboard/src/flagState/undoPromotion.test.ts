import { describe, expect, it } from 'vitest';
import { promotionsOf, versionBefore } from './undoPromotion';

describe('a promotion that can be undone', () => {
  it('was made, and changed the target', () => {
    const results = [
      { key: 'changed', status: 200, version: 7 },
      { key: 'same', status: 200, version: 3 },
      { key: 'refused', status: 403, error: 'forbidden' },
      { key: 'new', status: 200, version: 8 },
    ];
    const before: Record<string, number> = { changed: 4, same: 3, refused: 1 };
    expect(promotionsOf(results, key => before[key])).toEqual([
      { key: 'changed', version: 7 },
      { key: 'new', version: 8 },
    ]);
  });

  it('leads back to the version before it', () => {
    const own = { version: 9, env_id: null };
    const promoted = { version: 7, env_id: 'production' };
    const before = { version: 4, env_id: 'production' };
    const created = { version: 1, env_id: null };
    expect(versionBefore([own, promoted, before, created], 'production', false)).toBe(4);
    expect(versionBefore([own, promoted, created], 'production', true)).toBe(1);
    expect(versionBefore([own, promoted, created], 'production', false)).toBeNull();
    expect(versionBefore([promoted], 'production', true)).toBeNull();
    expect(versionBefore([own, created], 'production', false)).toBeNull();
  });
});
