import { Plus } from 'lucide-react';
import { Fragment, useEffect, useRef, useState } from 'react';
import type { Rule } from '../../../api/model';
import { conditionWords } from '../../../conditions/messages';
import { useDraft } from '../../../flagState/draft';
import { firstValue } from '../../../flagState/values';
import { Button } from '../../../ui/Button';
import { rulePlaceOf } from './checks';
import { added, changed, duplicated, moved, newRule, newRuleId, removed } from './edit';
import { useEditor } from './editor';
import { emptySegments } from './explained';
import { ruleWords } from './messages';
import { type RuleActions, RuleCard } from './RuleCard';
import styles from './Rules.module.css';
import { useDrag } from './useDrag';
import { useSteady } from './useSteady';

interface RuleListProps {
  /** The place of the first rule: before it are lists of users. */
  first: number;
  open: ReadonlySet<string>;
  onOpen: (id: string, isOpen: boolean) => void;
  /** The rules in which something is wrong, by their places. */
  wrong: ReadonlySet<number>;
}

/** The rules in the order in which they are tried. */
export function RuleList({ first, open, onOpen, wrong }: RuleListProps) {
  const { flag, segments, segmentName, isReadOnly, notes, values, refused } = useEditor();
  const { draft, texts, set, setText } = useDraft();
  const { rules: all } = draft;
  const rules = all.slice(first);
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
    const from = all.findIndex(rule => rule.id === id);
    const place = Math.min(Math.max(to, first), all.length - 1);
    const rule = all[from];
    if (rule === undefined || place === from) return;
    refocus.current = id;
    setRules(before => moved(before, id, place));
    setSaid(ruleWords.movedTo(ruleWords.ruleName(rule, from), place, all.length));
  };
  const { drag, start } = useDrag(
    () => list.current,
    (id, to) => move(id, to + first),
  );
  const add = () => {
    const id = newRuleId();
    setRules(before => added(before, newRule(id, firstValue(flag.flag_type, flag.default_value))));
    setNewest(id);
    onOpen(id, true);
  };
  const actions = useSteady<RuleActions>({
    toggle: id => onOpen(id, !open.has(id)),
    change: (id, change) => setRules(before => changed(before, id, change)),
    move,
    duplicate: id => {
      const copyId = newRuleId();
      setRules(before => duplicated(before, id, copyId));
      onOpen(copyId, true);
    },
    remove: id => {
      for (const field of Object.keys(texts)) {
        if (field.startsWith(`rule:${id}:`)) setText(field, null);
      }
      const place = all.findIndex(rule => rule.id === id);
      const rule = all[place];
      if (rule !== undefined) setSaid(ruleWords.removedRule(ruleWords.ruleName(rule, place)));
      setRules(before => removed(before, id));
    },
    drag: start,
    handle: (id, element) => {
      if (element === null) handles.current.delete(id);
      else handles.current.set(id, element);
    },
  });

  const unnamed = values?.rule_value;
  const notesBeside = (rule: Rule, place: number) => {
    const empty = emptySegments(rule, segments.segments);
    return [
      ...(notes.get(rule.id) ?? []).map(conditionWords.note),
      ...(empty.length > 0 ? [ruleWords.emptySegments(empty)] : []),
      ...(refused !== null && rulePlaceOf(refused.path) === place ? [refused.text] : []),
    ];
  };
  const others = rules.filter(rule => rule.id !== drag?.id);
  const isAt = (rule: Rule | undefined) => drag !== null && others[drag.place]?.id === rule?.id;
  const addButton = isReadOnly ? null : (
    <Button onPress={add}>
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
            {rules.map((rule, at) => (
              <Fragment key={rule.id}>
                {isAt(rule) && rule.id !== drag?.id ? <li className={styles.drop} aria-hidden /> : null}
                <RuleCard
                  rule={rule}
                  place={first + at}
                  first={first}
                  count={all.length}
                  notes={notesBeside(rule, first + at)}
                  unnamed={unnamed}
                  segmentName={segmentName}
                  isReadOnly={isReadOnly}
                  isOpen={open.has(rule.id)}
                  isNew={rule.id === newest}
                  isWrong={wrong.has(first + at)}
                  isDragged={rule.id === drag?.id}
                  actions={actions}
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
