import { useDraft } from '../../../flagState/draft';
import { firstValue } from '../../../flagState/values';
import { Select } from '../../../ui/Select';
import { useEditor, useProblem } from './editor';
import { restOf } from './explained';
import { ruleWords } from './messages';
import { PercentField } from './PercentField';
import styles from './Rules.module.css';
import { ValueField } from './ValueField';
import { VariantsEditor } from './VariantsEditor';

const UNSET = 'unset';
const SHARE = 'share';

/** The value of contexts that no rule serves. */
export function RestCard() {
  const { flag, environment, isReadOnly, values } = useEditor();
  const { draft, set, setText } = useDraft();
  const valueProblem = useProblem('default_value');
  const rolloutProblem = useProblem('percentage_rollout');
  const hasRules = draft.rules.length > 0;
  const { percentage_rollout: rollout } = draft;
  const isAb = flag.flag_type === 'ab';
  const rest = restOf(flag, { ...draft, enabled: true }, values);
  const text = rest === null ? '' : ruleWords.rest(rest, hasRules);
  return (
    <section className={styles.section} aria-labelledby="rest">
      <div>
        <h2 id="rest">{ruleWords.restTitle(hasRules)}</h2>
        <p className={styles.result}>{draft.enabled || text === '' ? text : ruleWords.onceOn(text)}</p>
      </div>
      <div className={styles.box}>
        {isAb || draft.variants.length > 0 ? <VariantsEditor /> : null}
        <div className={styles.fields}>
          <ValueField
            field="default_value"
            label={ruleWords.environmentValue(environment.name)}
            type={flag.flag_type}
            value={draft.default_value ?? undefined}
            unset={{ value: values?.unset_value }}
            first={firstValue(flag.flag_type, flag.default_value)}
            mayBeNull={false}
            isDisabled={isReadOnly}
            error={valueProblem}
            onChange={value => set(before => ({ ...before, default_value: value ?? null }))}
          />
          <div className={styles.stack}>
            <Select
              label={ruleWords.rollout()}
              isDisabled={isReadOnly}
              choices={[
                { id: UNSET, label: ruleWords.rolloutUnset() },
                { id: SHARE, label: ruleWords.rolloutSet() },
              ]}
              value={rollout === null ? UNSET : SHARE}
              onChange={id => {
                setText('rollout', null);
                set(before => ({
                  ...before,
                  percentage_rollout: id === UNSET ? null : (before.percentage_rollout ?? 0),
                }));
              }}
            />
            {rollout === null ? null : (
              <PercentField
                field="rollout"
                label={ruleWords.rolloutShare()}
                description={ruleWords.rolloutText(rollout, flag.default_value)}
                isDisabled={isReadOnly}
                error={rolloutProblem}
                value={rollout}
                onChange={percentage_rollout => set(before => ({ ...before, percentage_rollout }))}
              />
            )}
          </div>
        </div>
        <p className="soft small">{ruleWords.environmentValueText(flag.default_value)}</p>
        {isAb || flag.flag_type === 'boolean' ? null : <p className="soft small">{ruleWords.splitText()}</p>}
      </div>
    </section>
  );
}
