import { type Refusal, Refused } from '../api/refusal';

/** The part of a query's state that matters here. */
export interface Asked {
  /** Something on the screen shows it. */
  isShown: boolean;
  hasData: boolean;
  error: unknown;
}

export type Trouble = Extract<Refusal, { kind: 'offline' | 'fault' | 'wait' }>;

const WORST = ['offline', 'fault', 'wait'];

/**
 * The worst that keeps what is on the screen from being renewed. A query that never had data is not of concern here:
 * its page says so itself.
 */
export function troubleOf(asked: Iterable<Asked>): Trouble | null {
  let worst: Trouble | null = null;
  for (const { isShown, hasData, error } of asked) {
    if (!isShown || !hasData || !(error instanceof Refused)) continue;
    const { refusal } = error;
    if (refusal.kind !== 'offline' && refusal.kind !== 'fault' && refusal.kind !== 'wait') continue;
    if (worst === null || WORST.indexOf(refusal.kind) < WORST.indexOf(worst.kind)) worst = refusal;
  }
  return worst;
}

const FIRST_S = 5;
const LAST_S = 60;

/** Seconds until attempt number `attempt`, from 0: as long as the service asks for, else longer each time. */
export function delayOf(trouble: Trouble, attempt: number): number {
  const asked = 'seconds' in trouble ? trouble.seconds : null;
  return asked ?? Math.min(FIRST_S * 2 ** attempt, LAST_S);
}
