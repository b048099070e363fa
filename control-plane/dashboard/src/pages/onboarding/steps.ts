import type { components } from '../../api/schema';

type Steps = components['schemas']['OnboardingPatch'];

/** The steps that have come true and that the service does not know yet; `null` when there are none. */
export function due(known: Steps | undefined, truth: Steps): Steps | null {
  if (known === undefined) return null;
  const steps = Object.entries(truth).filter(
    ([step, isTrue]) => isTrue && known[step as keyof Steps] === false,
  );
  return steps.length === 0 ? null : Object.fromEntries(steps);
}
