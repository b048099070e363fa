/** The reasons of a stale flag in sentences, each with what would differ without the flag. */
import { page } from './messages';
import type { Stale, StaleReason } from './queries';

export interface InWords {
  reason: StaleReason['reason'];
  because: string;
  without: string;
}

type Reasoned = Pick<Stale, 'reasons'>;

export function reasonsOf({ reasons }: Reasoned, nameOf: (envId: string) => string): InWords[] {
  return reasons.map(one => {
    const names = one.env_ids.map(nameOf);
    const value = one.value_digest === null ? JSON.stringify(one.value) : page.longValue(one.value_digest);
    return {
      reason: one.reason,
      because: page.because(one, names, value),
      without: withoutIt(one, names, value),
    };
  });
}

function withoutIt(one: StaleReason, names: readonly string[], value: string): string {
  if (!one.everywhere) return page.removePartly(names);
  switch (one.reason) {
    case 'not_evaluated':
      return page.removeUnused();
    case 'one_value':
      return page.removeSingle(value);
    case 'fully_on':
      return page.removeFull();
    case 'fully_off':
      return page.removeOff();
  }
}
