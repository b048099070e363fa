import { Plus } from 'lucide-react';
import { Fragment, useEffect, useRef, useState } from 'react';
import { useDraft } from '../flag/draft';
import type { Rule } from '../flag/model';
import { ruleWords } from '../messages/rules';
import { Button } from '../ui/Button';
import { added, changed, duplicated, moved, newRule, newRuleId, removed } from './edit';
import { useEditor } from './editor';
import { notesOf } from './notes';
import { RuleCard } from './RuleCard';
import styles from './Rules.module.css';
import { useDrag } from './useDrag';
import { firstValue } from './values';

interface RuleListProps {
  open: ReadonlySet<string>;
  onOpen: (id: string, isOpen: boolean) => void;
  /** The rules in which something is wrong, by their places. */
  wrong: ReadonlySet<number>;
}

/** The rules in the order in which they are tried. */
export function RuleList({ open, onOpen, wrong }: RuleListProps) {
  const { flag, segments, isReadOnly } = useEditor();
  const { draft, texts, set, setText } = useDraft();
  const { rules } = draft;
  const [newest, setNewest] = useState<string | null>(null);
  const [said, setSaid] = useState('');
  const list = useRef<HTMLOListElement>(null);
  const handles = useRef(new Map<string, HTMLButtonElement>());
  // Moving a card in the page takes the focus from its handle.
  const refocus = useRef<string | null>(null);
  useEffect(() => {
    if (refocus.current === null) return;
    handles.current.get(refocus.current)?.focus();
    refocus.current = null;
  });

  const setRules = (change: (rules: readonly Rule[]) => Rule[]) =>
    set(before => ({ ...before, rules: change(before.rules) }));
  const move = (id: string, to: number) => {
    const from = rules.findIndex(rule => rule.id === id);
    const place = Math.min(Math.max(to, 0), rules.length - 1);
    const rule = rules[from];
    if (rule === undefined || place === from) return;
    refocus.current = id;
    setRules(before => moved(before, id, place));
    setSaid(ruleWords.movedTo(ruleWords.ruleName(rule, from), place, rules.length));
  };
  const { drag, start } = useDrag(() => list.current, move);
  const add = () => {
    const id = newRuleId();
    setRules(before => added(before, newRule(id, firstValue(flag.flag_type, flag.default_value))));
    setNewest(id);
    onOpen(id, true);
  };

  const notes = notesOf(rules, segments);
  const others = rules.filter(rule => rule.id !== drag?.id);
  const isAt = (rule: Rule | undefined) => drag !== null && others[drag.place]?.id === rule?.id;
  const addButton = isReadOnly ? null : (
    <Button onPress={add} look={rules.length === 0 ? 'primary' : 'secondary'}>
      <Plus size={16} aria-hidden />
      {ruleWords.addRule()}
    </Button>
  );
  return (
    <section className={styles.section} aria-labelledby="rules">
      <div>
        <h2 id="rules">{ruleWords.rules()}</h2>
        {rules.length > 1 ? <p className="soft">{ruleWords.rulesText()}</p> : null}
      </div>
      {rules.length === 0 ? (
        <div className={styles.none}>
          <p>{ruleWords.noRules()}</p>
          {addButton}
        </div>
      ) : (
        <>
          <ol ref={list} className={styles.list}>
            {rules.map((rule, place) => (
              <Fragment key={rule.id}>
                {isAt(rule) && rule.id !== drag?.id ? <li className={styles.drop} aria-hidden /> : null}
                <RuleCard
                  rule={rule}
                  place={place}
                  count={rules.length}
                  notes={notes[place] ?? []}
                  isOpen={open.has(rule.id)}
                  isNew={rule.id === newest}
                  isWrong={wrong.has(place)}
                  isDragged={rule.id === drag?.id}
                  handle={{
                    onPointerDown: start(rule.id, place),
                    ref: element => {
                      if (element === null) handles.current.delete(rule.id);
                      else handles.current.set(rule.id, element);
                    },
                  }}
                  onToggle={() => onOpen(rule.id, !open.has(rule.id))}
                  onChange={change => setRules(before => changed(before, rule.id, change))}
                  onMove={to => move(rule.id, to)}
                  onDuplicate={() => {
                    const id = newRuleId();
                    setRules(before => duplicated(before, rule.id, id));
                    onOpen(id, true);
                  }}
                  onRemove={() => {
                    for (const field of Object.keys(texts)) {
                      if (field.startsWith(`rule:${rule.id}:`)) setText(field, null);
                    }
                    setRules(before => removed(before, rule.id));
                    setSaid(ruleWords.removedRule(ruleWords.ruleName(rule, place)));
                  }}
                />
              </Fragment>
            ))}
            {drag !== null && drag.place >= others.length ? <li className={styles.drop} aria-hidden /> : null}
          </ol>
          <div>{addButton}</div>
        </>
      )}
      <span className="hidden" role="status">
        {said}
      </span>
    </section>
  );
}
