import { useDraft } from '../flag/draft';
import type { TabProps } from '../flag/tabs';
import { mayToggle } from '../flags/permissions';
import { t } from '../messages/en';
import { useMe } from '../session/me';
import { Switch } from '../ui/Switch';

/** Who gets what in an environment. */
export default function TargetingTab({ flag, environment }: TabProps) {
  const me = useMe();
  const { draft, set } = useDraft();
  return (
    <section className="card" aria-label={environment.name}>
      <Switch
        label={t.flags.switchOf(flag.key, environment.name)}
        isOn={draft.enabled}
        isDisabled={!mayToggle(me, environment.id)}
        onChange={enabled => set({ ...draft, enabled })}
      />
    </section>
  );
}
