import { useDraft } from '../../../flagState/draft';
import { Switch } from '../../../ui/Switch';
import { Value } from '../../../ui/Value';
import { useEditor } from './editor';
import { restOf } from './explained';
import { ruleWords } from './messages';
import styles from './Rules.module.css';

/** The switch, and in one sentence what it does to users. */
export function StateCard() {
  const { flag, environment, isSwitchLocked, values } = useEditor();
  const { draft, set } = useDraft();
  const rest = restOf(flag, draft, values);
  const { prerequisites, mutual_exclusion_group: group } = flag;
  return (
    <section className={styles.state} aria-label={ruleWords.targeting(environment.name)}>
      <span className={styles.switch}>
        <Switch
          label={environment.name}
          isOn={draft.enabled}
          isDisabled={isSwitchLocked}
          onChange={enabled => set(before => ({ ...before, enabled }))}
        />
        <b className={draft.enabled ? styles.on : styles.off}>{ruleWords.isOn(draft.enabled)}</b>
      </span>
      {draft.enabled || rest === null ? null : (
        <p className={styles.result}>
          <Value>{ruleWords.rest(rest, false)}</Value>
        </p>
      )}
      {draft.enabled && prerequisites.length > 0 ? (
        <p className="soft">{ruleWords.needs(prerequisites)}</p>
      ) : null}
      {draft.enabled && group !== '' ? <p className="soft">{ruleWords.contest(group)}</p> : null}
    </section>
  );
}
