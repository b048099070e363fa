import { OctagonX } from 'lucide-react';
import { useMemo } from 'react';
import type { Environment } from '../api/model';
import { type Command, useCommands } from '../frame/commands';
import { useMe } from '../session/me';
import { Button } from '../ui/Button';
import { askToKill } from './asked';
import { mayKill } from './mayKill';
import { killing } from './messages';

interface KillButtonProps {
  projectId: string;
  flagKey: string;
  environments: readonly Environment[];
  current: Environment;
}

/** Kills the flag in the environment that is open; the palette has every environment. */
export function KillButton({ projectId, flagKey, environments, current }: KillButtonProps) {
  const me = useMe();
  const commands = useMemo(
    () =>
      environments
        .filter(({ id }) => mayKill(me, id))
        .map(
          (environment): Command => ({
            id: `kill-${environment.id}`,
            title: killing.killIn(flagKey, environment.name),
            section: 'actions',
            run: () => askToKill({ projectId, flagKey, environment }),
          }),
        ),
    [environments, me, projectId, flagKey],
  );
  useCommands(commands);
  if (!mayKill(me, current.id)) return null;
  return (
    <Button onPress={() => askToKill({ projectId, flagKey, environment: current })}>
      <OctagonX size={16} aria-hidden />
      {killing.kill(current.name)}
    </Button>
  );
}
