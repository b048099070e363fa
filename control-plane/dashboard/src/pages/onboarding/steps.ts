import type { components } from '../../api/schema';
import { stateOf } from '../keys/lifetime';
import type { ApiKey } from '../keys/queries';
import { onboarding } from './messages';

type Steps = components['schemas']['OnboardingPatch'];

/** The steps that have come true and that the service does not know yet; `null` when there are none. */
export function due(known: Steps | undefined, truth: Steps): Steps | null {
  if (known === undefined) return null;
  const steps = Object.entries(truth).filter(
    ([step, isTrue]) => isTrue && known[step as keyof Steps] === false,
  );
  return steps.length === 0 ? null : Object.fromEntries(steps);
}

/** The newest key of the first run that still works, of one type. */
export function earlierKey(keys: readonly ApiKey[], type: ApiKey['type'], now: number): ApiKey | undefined {
  const own = keys.filter(
    key => key.type === type && key.name === onboarding.keyName() && stateOf(key, now) === 'live',
  );
  return own.toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))[0];
}
