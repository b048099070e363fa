import { type Kept, Problem } from './types.js';

/** Contexts whose flags are kept: before and after a sign-in, and a few people who share a device. */
const MOST = 4;

type Item = [name: string, seal: string, text: string];

/** Texts by the identity of their context, in one item of a storage that may lack, refuse, lose or damage it. */
export interface Store {
  /** What was saved for exactly this identity. */
  load(identity: string): string | undefined;
  save(identity: string, text: string): void;
}

/**
 * @param given `undefined`: that of the browser
 * @param slot the name of the item
 * @param report is told of each kind of problem once
 */
export function openStore(
  given: Kept | null | undefined,
  slot: string,
  report: (problem: Problem) => void,
): Store {
  let failed = false;
  const guarded = <T>(use: (storage: Kept) => T): T | undefined => {
    try {
      // A browser may refuse to name its storage; some have none.
      const storage = given === undefined ? globalThis.localStorage : given;
      return storage ? use(storage) : undefined;
    } catch (cause) {
      if (!failed) report(new Problem('STORAGE', `the storage cannot be used: ${cause}`));
      failed = true;
      return undefined;
    }
  };
  const damaged = () => report(new Problem('DAMAGED_STORAGE', 'what is stored is not what was stored'));

  const items = (): Item[] => {
    const text = guarded(storage => storage.getItem(slot));
    if (text == null) return [];
    try {
      const list = JSON.parse(text) as Item[];
      if (list.every(item => item.length === 3 && item.every(part => typeof part === 'string'))) return list;
    } catch {}
    damaged();
    guarded(storage => storage.removeItem(slot));
    return [];
  };

  return {
    load(identity) {
      const name = hash(identity, 1);
      const [, seal, text] = items().find(item => item[0] === name) ?? [];
      if (text === undefined || seal === hash(identity + text, 2)) return text;
      damaged();
      return undefined;
    },
    save(identity, text) {
      const name = hash(identity, 1);
      const others = items().filter(item => item[0] !== name);
      const item: Item = [name, hash(identity + text, 2), text];
      guarded(storage => {
        try {
          storage.setItem(slot, JSON.stringify([item, ...others.slice(0, MOST - 1)]));
        } catch {
          // It may be full: without the others there is more room.
          storage.setItem(slot, JSON.stringify([item]));
        }
      });
    },
  };
}

/** 53 bits of a text, which is no secret from whoever can read the storage: it finds accidents. */
export function hash(text: string, seed: number): string {
  let high = 0xdeadbeef ^ seed;
  let low = 0x41c6ce57 ^ seed;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36);
}
