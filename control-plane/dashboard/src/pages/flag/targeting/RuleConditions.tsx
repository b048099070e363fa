import { Plus } from 'lucide-react';
import { Fragment, useId, useState } from 'react';
import type { Rule } from '../../../api/model';
import { NEW_CONDITION } from '../../../conditions/edit';
import { Button } from '../../../ui/Button';
import { Select } from '../../../ui/Select';
import { ConditionRow } from './ConditionRow';
import { useEditor } from './editor';
import { ruleWords } from './messages';
import styles from './Rules.module.css';

interface RuleConditionsProps {
  rule: Rule;
  path: string;
  isNew: boolean;
  onChange: (change: Partial<Rule>) => void;
}

/** The conditions of a rule, with the word between them that says how they combine. */
export function RuleConditions({ rule, path, isNew, onChange }: RuleConditionsProps) {
  const { isReadOnly } = useEditor();
  // The condition that was added last takes the focus.
  const [fresh, setFresh] = useState<number | null>(isNew ? 0 : null);
  const titleId = useId();
  const { conditions, match_type } = rule;
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
            value={match_type}
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
        <Fragment key={place}>
          {place === 0 ? null : <span className={styles.joint}>{ruleWords.joint(match_type === 'any')}</span>}
          <ConditionRow
            condition={condition}
            place={place}
            path={`${path}.conditions[${place}]`}
            autoFocus={place === fresh}
            onChange={next => onChange({ conditions: conditions.with(place, next) })}
            onRemove={() => onChange({ conditions: conditions.toSpliced(place, 1) })}
          />
        </Fragment>
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
