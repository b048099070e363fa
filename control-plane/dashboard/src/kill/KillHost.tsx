import { lazy, Suspense } from 'react';
import { closeKill, useAskedKill } from './asked';

const KillDialog = lazy(() => import('./KillDialog'));

/** Shows the dialog of the kill that was asked for, wherever that was. */
export function KillHost() {
  const target = useAskedKill();
  if (target === null) return null;
  return (
    <Suspense>
      <KillDialog key={`${target.environment.id}/${target.flagKey}`} target={target} onClose={closeKill} />
    </Suspense>
  );
}
