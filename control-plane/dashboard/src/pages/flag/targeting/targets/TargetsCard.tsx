import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Rule } from '../../../../api/model';
import { ChipsField } from '../../../../conditions/ChipsField';
import { useDraft } from '../../../../flagState/draft';
import { firstValue } from '../../../../flagState/values';
import { Button, IconButton } from '../../../../ui/Button';
import { changed, newRuleId, removed } from '../edit';
import { useEditor, useProblem } from '../editor';
import { ruleWords } from '../messages';
import styles from '../Rules.module.css';
import { ValueField } from '../ValueField';
import { targetWords } from './messages';
import {
  conditionsOf,
  decidedBefore,
  isComplete,
  keysOf,
  newTargets,
  newTargetsId,
  nextValue,
  TARGETS_NAME,
  withTargets,
} from './targets';

/** The users who are named one by one, before any rule. */
export function TargetsCard({ count }: { count: number }) {
  const { flag, isReadOnly } = useEditor();
  const { draft, set } = useDraft();
  const lists = draft.rules.slice(0, count);
  const first = firstValue(flag.flag_type, flag.default_value);
  // The list that was added last takes the focus.
  const [fresh, setFresh] = useState<string | null>(null);
  const add = () => {
    const id = newTargetsId(newRuleId());
    setFresh(id);
    set(before => ({
      ...before,
      rules: withTargets(before.rules, count, newTargets(id, nextValue(lists, first))),
    }));
  };
  if (isReadOnly && lists.length === 0) return null;
  return (
    <section className={styles.section} aria-labelledby="targets">
      <div className="row apart">
        <div>
          <h2 id="targets">{targetWords.title()}</h2>
          {lists.length === 0 ? <p className="soft">{targetWords.none()}</p> : null}
        </div>
        {isReadOnly || isComplete(lists, first) ? null : (
          <Button onPress={add}>
            <Plus size={16} aria-hidden />
            {lists.length === 0 ? targetWords.add() : targetWords.addAnother()}
          </Button>
        )}
      </div>
      {lists.length > 0 ? (
        <ul className={styles.list}>
          {lists.map((rule, place) => (
            <li key={rule.id} className={styles.targets}>
              <TargetList
                rule={rule}
                place={place}
                decided={decidedBefore(lists, place)}
                first={first}
                isFresh={rule.id === fresh}
              />
            </li>
          ))}
        </ul>
      ) : null}
    </section>
  );
}

interface TargetListProps {
  rule: Rule;
  place: number;
  /** Users whom an earlier list names too. */
  decided: readonly string[];
  first: unknown;
  isFresh: boolean;
}

function TargetList({ rule, place, decided, first, isFresh }: TargetListProps) {
  const { flag, isReadOnly } = useEditor();
  const { set, texts, setText } = useDraft();
  const field = `rule:${rule.id}:value`;
  const valueProblem = useProblem(`rules[${place}].value`);
  const keysProblem = useProblem(`rules[${place}].conditions[0].values`);
  const change = (next: Partial<Rule>) =>
    set(before => ({ ...before, rules: changed(before.rules, rule.id, next) }));
  const remove = () => {
    if (texts[field] !== undefined) setText(field, null);
    set(before => ({ ...before, rules: removed(before.rules, rule.id) }));
  };
  const keys = keysOf(rule);
  return (
    <fieldset className={styles.targetList}>
      <legend className="hidden">{targetWords.sentence(keys, rule.value)}</legend>
      <ValueField
        field={field}
        label={targetWords.get()}
        type={flag.flag_type}
        value={rule.value}
        first={first}
        mayBeNull
        isDisabled={isReadOnly}
        error={valueProblem}
        onChange={value => change({ value })}
      />
      <div className={styles.targetKeys}>
        <span className={styles.targetLabel} aria-hidden>
          {targetWords.users(keys.length)}
        </span>
        <ChipsField
          label={targetWords.keys()}
          placeholder={targetWords.keysPlaceholder()}
          values={keys}
          isDisabled={isReadOnly}
          autoFocus={isFresh}
          error={keysProblem}
          onChange={values => change({ conditions: conditionsOf(values) })}
        />
        {decided.length > 0 ? <p className="soft small">{targetWords.decided(decided)}</p> : null}
        {rule.description === '' || rule.description === TARGETS_NAME ? null : (
          <p className="soft small">{ruleWords.ruleTitle(rule.description, place)}</p>
        )}
      </div>
      {isReadOnly ? null : (
        <IconButton label={targetWords.remove(rule.value)} onPress={remove}>
          <Trash2 size={16} aria-hidden />
        </IconButton>
      )}
    </fieldset>
  );
}
