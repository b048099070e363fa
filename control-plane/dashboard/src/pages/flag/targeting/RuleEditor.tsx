import { Plus } from 'lucide-react';
import { useId, useState } from 'react';
import type { Rule } from '../../../api/model';
import { NEW_CONDITION } from '../../../conditions/edit';
import { firstValue } from '../../../flagState/values';
import { EditField } from '../../../parts/Fields';
import { Button } from '../../../ui/Button';
import { Select } from '../../../ui/Select';
import { ConditionRow } from './ConditionRow';
import { useEditor, useProblem } from './editor';
import { ruleWords } from './messages';
import { PercentField } from './PercentField';
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
      <Conditions rule={rule} path={path} isNew={isNew} onChange={onChange} />
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
          description={ruleWords.toText()}
          isDisabled={isReadOnly}
          error={percentageProblem}
          value={rule.percentage}
          onChange={percentage => onChange({ percentage })}
        />
      </div>
      <EditField
        label={ruleWords.name()}
        description={ruleWords.nameText()}
        isDisabled={isReadOnly}
        value={rule.description}
        onChange={description => onChange({ description })}
        error={descriptionProblem}
      />
    </div>
  );
}

interface ConditionsProps {
  rule: Rule;
  path: string;
  isNew: boolean;
  onChange: (change: Partial<Rule>) => void;
}

function Conditions({ rule, path, isNew, onChange }: ConditionsProps) {
  const { isReadOnly } = useEditor();
  // The condition that was added last takes the focus.
  const [fresh, setFresh] = useState<number | null>(isNew ? 0 : null);
  const titleId = useId();
  const { conditions } = rule;
  return (
    <section className={styles.conditions} aria-labelledby={titleId}>
      <div className="row">
        <h3 id={titleId}>{ruleWords.conditions()}</h3>
        {conditions.length > 1 ? (
          <Select
            label={ruleWords.match()}
            isLabelHidden
            isDisabled={isReadOnly}
            choices={[
              { id: 'all', label: ruleWords.matchAll() },
              { id: 'any', label: ruleWords.matchAny() },
            ]}
            value={rule.match_type}
            onChange={id => onChange({ match_type: id === 'any' ? 'any' : 'all' })}
          />
        ) : null}
      </div>
      {conditions.length === 0 ? (
        <p className="soft">
          {rule.segment_keys.length === 0 ? ruleWords.noConditions() : ruleWords.noConditionsInSegment()}
        </p>
      ) : null}
      {conditions.map((condition, place) => (
        <ConditionRow
          key={place}
          condition={condition}
          place={place}
          path={`${path}.conditions[${place}]`}
          autoFocus={place === fresh}
          onChange={next => onChange({ conditions: conditions.with(place, next) })}
          onRemove={() => onChange({ conditions: conditions.toSpliced(place, 1) })}
        />
      ))}
      {isReadOnly ? null : (
        <div>
          <Button
            onPress={() => {
              setFresh(conditions.length);
              onChange({ conditions: [...conditions, NEW_CONDITION] });
            }}
          >
            <Plus size={16} aria-hidden />
            {ruleWords.addCondition()}
          </Button>
        </div>
      )}
    </section>
  );
}
