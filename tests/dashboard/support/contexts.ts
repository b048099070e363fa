export type Context = {
  key: string;
  attributes: Record<string, unknown>;
};

/** Contexts that differ, the same ones for the same seed. */
export function contexts(count: number, seed: number): Context[] {
  let state = seed;
  const random = () => {
    // Park and Miller.
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  return Array.from({ length: count }, (_, index) => ({
    key: `user-${index}-${Math.floor(random() * 1000)}`,
    attributes: {
      country: one(['DE', 'FR', 'US', 'NL', '']),
      ...(random() < 0.8 ? { age: Math.floor(random() * 40) } : {}),
      ...(random() < 0.7 ? { plan: one(['insider', 'beta', 'free', 7, true]) } : {}),
      ...(random() < 0.5 ? { version: one(['1.9.9', '2.1.0', '2.10.0', 'none']) } : {}),
    },
  }));
}

/** Asks for each, eight at a time. */
export async function inTurn<T, A>(items: readonly T[], ask: (item: T) => Promise<A>): Promise<A[]> {
  const answers: A[] = [];
  for (let at = 0; at < items.length; at += 8) {
    answers.push(...(await Promise.all(items.slice(at, at + 8).map(ask))));
  }
  return answers;
}
