import { ChevronDown, ChevronUp, EllipsisVertical, GripVertical, TriangleAlert } from 'lucide-react';
import { type KeyboardEvent, memo, type PointerEvent, useCallback } from 'react';
import type { Rule } from '../../../api/model';
import { isSame } from '../../../flagState/isSame';
import { IconButton } from '../../../ui/Button';
import { Menu, MenuItem } from '../../../ui/Menu';
import { Value } from '../../../ui/Value';
import { ruleWords } from './messages';
import { RuleEditor } from './RuleEditor';
import styles from './Rules.module.css';

export interface RuleActions {
  toggle: (id: string) => void;
  change: (id: string, change: Partial<Rule>) => void;
  move: (id: string, to: number) => void;
  duplicate: (id: string) => void;
  remove: (id: string) => void;
  drag: (event: PointerEvent<HTMLButtonElement>, id: string, place: number) => void;
  /** The button by which a rule is moved, to give the focus back to. */
  handle: (id: string, element: HTMLButtonElement | null) => void;
}

interface RuleCardProps {
  rule: Rule;
  place: number;
  /** The place of the first rule that can be moved. */
  first: number;
  count: number;
  notes: readonly string[];
  /** The value that it serves when it names none. */
  unnamed: unknown;
  segmentName: (key: string) => string;
  isReadOnly: boolean;
  isOpen: boolean;
  isNew: boolean;
  /** Something in it keeps the draft from being saved. */
  isWrong: boolean;
  isDragged: boolean;
  actions: RuleActions;
}

/** There may be a hundred: one that is closed is drawn again only when something of its own changes. */
export const RuleCard = memo(Card, (before, after) => {
  const { notes: old, unnamed: oldUnnamed, ...rest } = before;
  const { notes, unnamed, ...next } = after;
  return isSame(old, notes) && isSame(oldUnnamed, unnamed) && isShallowSame(rest, next);
});

function isShallowSame<T extends object>(one: T, other: T): boolean {
  return (Object.keys(one) as (keyof T)[]).every(name => Object.is(one[name], other[name]));
}

/** A rule: a sentence while it is closed, a form while it is open. */
function Card(props: RuleCardProps) {
  const { rule, place, notes, unnamed, segmentName, isReadOnly } = props;
  const { isOpen, isNew, isWrong, isDragged, actions } = props;
  const onToggle = () => actions.toggle(rule.id);
  const name = ruleWords.ruleName(rule, place);
  const editorId = `rule-${rule.id}`;
  return (
    <li
      className={`${styles.card} ${isDragged ? styles.dragged : ''} ${isWrong ? styles.wrong : ''}`}
      data-rule={rule.id}
    >
      <div className={styles.cardHead}>
        {isReadOnly ? null : <Handle {...props} name={name} />}
        {/* A larger target for the pointer: the keyboard has the button at the end. */}
        <button type="button" className={styles.summary} tabIndex={-1} onClick={onToggle}>
          <span className={styles.ruleName}>
            <Value>{rule.description === '' ? name : ruleWords.ruleTitle(name, place)}</Value>
          </span>
          <span className={styles.sentence}>
            <Value>{ruleWords.serves(rule, unnamed, segmentName)}</Value>
          </span>
        </button>
        <span className={styles.cardActions}>
          {isReadOnly ? null : <RuleMenu {...props} name={name} />}
          <IconButton
            label={isOpen ? ruleWords.close(name) : ruleWords.edit(name)}
            aria-expanded={isOpen}
            {...(isOpen ? { 'aria-controls': editorId } : {})}
            onPress={onToggle}
          >
            {isOpen ? <ChevronUp size={18} aria-hidden /> : <ChevronDown size={18} aria-hidden />}
          </IconButton>
        </span>
      </div>
      {notes.length > 0 ? (
        <ul className={styles.notes}>
          {notes.map(text => (
            <li key={text}>
              <TriangleAlert size={16} aria-hidden />
              <Value>{text}</Value>
            </li>
          ))}
        </ul>
      ) : null}
      {isOpen ? (
        <div id={editorId}>
          <RuleEditor
            rule={rule}
            place={place}
            isNew={isNew}
            onChange={change => actions.change(rule.id, change)}
          />
        </div>
      ) : null}
    </li>
  );
}

function Handle({ rule, place, actions, name }: RuleCardProps & { name: string }) {
  const { id } = rule;
  const { handle } = actions;
  const ref = useCallback((element: HTMLButtonElement | null) => handle(id, element), [handle, id]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    actions.move(id, event.key === 'ArrowUp' ? place - 1 : place + 1);
  };
  return (
    <button
      type="button"
      ref={ref}
      className={styles.handle}
      aria-label={ruleWords.moveHandle(name)}
      title={ruleWords.moveHint()}
      onPointerDown={event => actions.drag(event, id, place)}
      onKeyDown={onKeyDown}
    >
      <GripVertical size={18} aria-hidden />
    </button>
  );
}

function RuleMenu({ rule, place, first, count, actions, name }: RuleCardProps & { name: string }) {
  const { id } = rule;
  const isFirst = place === first;
  const isLast = place === count - 1;
  const move = (to: number) => () => actions.move(id, to);
  return (
    <Menu
      label={ruleWords.actionsOf(name)}
      trigger={
        <IconButton label={ruleWords.actionsOf(name)}>
          <EllipsisVertical size={18} aria-hidden />
        </IconButton>
      }
    >
      {isFirst ? null : (
        <>
          <MenuItem id="up" label={ruleWords.moveUp()} onAction={move(place - 1)} />
          <MenuItem id="top" label={ruleWords.moveTop()} onAction={move(first)} />
        </>
      )}
      {isLast ? null : (
        <>
          <MenuItem id="down" label={ruleWords.moveDown()} onAction={move(place + 1)} />
          <MenuItem id="bottom" label={ruleWords.moveBottom()} onAction={move(count - 1)} />
        </>
      )}
      <MenuItem id="duplicate" label={ruleWords.duplicate()} onAction={() => actions.duplicate(id)} />
      <MenuItem id="remove" label={ruleWords.remove()} onAction={() => actions.remove(id)} />
    </Menu>
  );
}
