import { closeKill, useAskedKill } from './asked';
import { KillDialog } from './KillDialog';

/**
 * Shows the dialog of the kill that was asked for, wherever that was. It comes with the frame: a kill has to work in a tab that is
 * older than the release, whose files are gone.
 */
export function KillHost() {
  const target = useAskedKill();
  if (target === null) return null;
  return (
    <KillDialog key={`${target.environment.id}/${target.flagKey}`} target={target} onClose={closeKill} />
  );
}
