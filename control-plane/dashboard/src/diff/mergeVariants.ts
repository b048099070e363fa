import { isSame } from '../flagState/isSame';
import { type Merging, sideOf } from './merging';
import { mergeOrder } from './sequence';
import type { StateFields, Variant } from './versions';

const WHOLE = 10_000;

type Sides = readonly [Map<string, Variant>, Map<string, Variant>, Map<string, Variant>];

/**
 * Variants are the same by their key. Which there are, their order and their weights belong together, since the weights
 * have to make 100 %: where two changes of them do not, one side's are chosen. Values are merged each by itself.
 */
export function mergeVariants(
  base: StateFields,
  mine: StateFields,
  theirs: StateFields,
  merging: Merging,
): Variant[] {
  if (isSame(mine.variants, base.variants)) return theirs.variants;
  if (isSame(theirs.variants, base.variants)) return mine.variants;
  const sides: Sides = [byKey(base), byKey(mine), byKey(theirs)];

  const shares = mergeShares(sides) ?? chosenShares(base, sides, merging);
  return shares.map(({ key, weight }) => {
    const [b, m, t] = [sides[0].get(key), sides[1].get(key), sides[2].get(key)];
    if (m === undefined || t === undefined) return { key, weight, value: (t ?? m ?? b)?.value };
    const value = merging.pick<unknown>(
      `state.variants/${key}/value`,
      // One that both added was nothing before.
      [b?.value, m.value, t.value],
      changed => ({ state: { ...base, variants: withValue(base.variants, key, changed, t.weight) } }),
    );
    return { key, weight, value };
  });
}

/** Keys, order and weights, or `null` where the two changes do not go together. */
function mergeShares([base, mine, theirs]: Sides): { key: string; weight: number }[] | null {
  const weights = new Map<string, number>();
  for (const key of new Set([...theirs.keys(), ...mine.keys(), ...base.keys()])) {
    const [b, m, t] = [base.get(key), mine.get(key), theirs.get(key)];
    if (m !== undefined && t !== undefined) {
      const side = sideOf([b?.weight, m.weight, t.weight]);
      if (side === null) return null;
      weights.set(key, (side === 'mine' ? m : t).weight);
    } else if (b === undefined) {
      weights.set(key, (m ?? t)?.weight ?? 0);
    } else if (!isSame(m ?? t, b) && (m ?? t) !== undefined) {
      // One removed what the other changed.
      return null;
    }
  }
  const sum = [...weights.values()].reduce((total, weight) => total + weight, 0);
  if (weights.size > 0 && sum !== WHOLE) return null;
  const order = mergeOrder([...base.keys()], [...mine.keys()], [...theirs.keys()], new Set(weights.keys()));
  return order?.map(key => ({ key, weight: weights.get(key) ?? 0 })) ?? null;
}

function chosenShares(
  base: StateFields,
  [b, m, t]: Sides,
  merging: Merging,
): { key: string; weight: number }[] {
  // Earlier variants keep their value here: values are conflicts of their own.
  const under = (side: ReadonlyMap<string, Variant>) => ({
    state: {
      ...base,
      variants: [...side.values()].map(variant => ({
        ...variant,
        value:
          m.has(variant.key) && t.has(variant.key) ? (b.get(variant.key) ?? variant).value : variant.value,
      })),
    },
  });
  const side = merging.clash('state.variants', { base: under(b), mine: under(m), theirs: under(t) });
  return [...(side === 'mine' ? m : t).values()].map(({ key, weight }) => ({ key, weight }));
}

function withValue(variants: readonly Variant[], key: string, value: unknown, weight: number): Variant[] {
  if (variants.some(variant => variant.key === key)) {
    return variants.map(variant => (variant.key === key ? { ...variant, value } : variant));
  }
  return value === undefined ? [...variants] : [...variants, { key, weight, value }];
}

function byKey(state: StateFields): Map<string, Variant> {
  return new Map(state.variants.map(variant => [variant.key, variant]));
}
