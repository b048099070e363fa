import type { Rule } from '../../../api/model';
import { firstValue } from '../../../flagState/values';
import { EditField } from '../../../parts/Fields';
import { useEditor, useProblem } from './editor';
import { ruleWords } from './messages';
import { PercentField } from './PercentField';
import { RuleConditions } from './RuleConditions';
import styles from './Rules.module.css';
import { SegmentsField } from './SegmentsField';
import { ValueField } from './ValueField';

interface RuleEditorProps {
  rule: Rule;
  place: number;
  /** It was added a moment ago: the first thing to fill in has the focus. */
  isNew: boolean;
  onChange: (change: Partial<Rule>) => void;
}

/** Whom a rule matches, and what it serves them. */
export function RuleEditor({ rule, place, isNew, onChange }: RuleEditorProps) {
  const { flag, isReadOnly, values } = useEditor();
  const path = `rules[${place}]`;
  const valueProblem = useProblem(`${path}.value`);
  const percentageProblem = useProblem(`${path}.percentage`);
  const descriptionProblem = useProblem(`${path}.description`);
  const first = firstValue(flag.flag_type, flag.default_value);
  return (
    <div className={styles.editor}>
      <div className={styles.narrowField}>
        <EditField
          label={ruleWords.name()}
          placeholder={ruleWords.namePlaceholder()}
          isDisabled={isReadOnly}
          value={rule.description}
          onChange={description => onChange({ description })}
          error={descriptionProblem}
        />
      </div>
      <RuleConditions rule={rule} path={path} isNew={isNew} onChange={onChange} />
      <SegmentsField keys={rule.segment_keys} onChange={segment_keys => onChange({ segment_keys })} />
      <div className={styles.fields}>
        <ValueField
          field={`rule:${rule.id}:value`}
          label={ruleWords.serve()}
          type={flag.flag_type}
          value={rule.value}
          unset={{ value: values?.rule_value }}
          first={first}
          mayBeNull
          isDisabled={isReadOnly}
          error={valueProblem}
          onChange={value => onChange({ value })}
        />
        <PercentField
          field={`rule:${rule.id}:percentage`}
          label={ruleWords.to()}
          description={ruleWords.toText(rule.percentage)}
          isDisabled={isReadOnly}
          error={percentageProblem}
          value={rule.percentage}
          onChange={percentage => onChange({ percentage })}
        />
      </div>
    </div>
  );
}
