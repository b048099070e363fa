import { ChevronDown, ChevronUp, EllipsisVertical, GripVertical, TriangleAlert } from 'lucide-react';
import type { KeyboardEvent, PointerEvent } from 'react';
import { useDraft } from '../flag/draft';
import type { Rule } from '../flag/model';
import { ruleWords } from '../messages/rules';
import { IconButton } from '../ui/Button';
import { Menu, MenuItem } from '../ui/Menu';
import { useEditor } from './editor';
import { unnamedValue } from './everyone';
import type { Note } from './notes';
import { RuleEditor } from './RuleEditor';
import styles from './Rules.module.css';

export interface RuleActions {
  onToggle: () => void;
  onChange: (change: Partial<Rule>) => void;
  onMove: (to: number) => void;
  onDuplicate: () => void;
  onRemove: () => void;
}

interface RuleCardProps extends RuleActions {
  rule: Rule;
  place: number;
  count: number;
  notes: readonly Note[];
  isOpen: boolean;
  isNew: boolean;
  /** Something in it keeps the draft from being saved. */
  isWrong: boolean;
  isDragged: boolean;
  handle: {
    onPointerDown: (event: PointerEvent<HTMLButtonElement>) => void;
    ref: (element: HTMLButtonElement | null) => void;
  };
}

/** A rule: a sentence while it is closed, a form while it is open. */
export function RuleCard(props: RuleCardProps) {
  const { rule, place, notes, isOpen, isNew, isWrong, isDragged, onToggle, onChange } = props;
  const { flag, segmentName, isReadOnly } = useEditor();
  const { draft } = useDraft();
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
            {rule.description === '' ? name : ruleWords.ruleTitle(name, place)}
          </span>
          <span className={styles.sentence}>
            {ruleWords.serves(rule, unnamedValue(flag, draft), segmentName)}
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
          {notes.map(note => {
            const text = ruleWords.note(note);
            return (
              <li key={text}>
                <TriangleAlert size={16} aria-hidden />
                {text}
              </li>
            );
          })}
        </ul>
      ) : null}
      {isOpen ? (
        <div id={editorId}>
          <RuleEditor rule={rule} place={place} isNew={isNew} onChange={onChange} />
        </div>
      ) : null}
    </li>
  );
}

function Handle({ handle, place, onMove, name }: RuleCardProps & { name: string }) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    onMove(event.key === 'ArrowUp' ? place - 1 : place + 1);
  };
  return (
    <button
      type="button"
      ref={handle.ref}
      className={styles.handle}
      aria-label={ruleWords.moveHandle(name)}
      title={ruleWords.moveHint()}
      onPointerDown={handle.onPointerDown}
      onKeyDown={onKeyDown}
    >
      <GripVertical size={18} aria-hidden />
    </button>
  );
}

function RuleMenu({ place, count, onMove, onDuplicate, onRemove, name }: RuleCardProps & { name: string }) {
  const isFirst = place === 0;
  const isLast = place === count - 1;
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
          <MenuItem id="up" label={ruleWords.moveUp()} onAction={() => onMove(place - 1)} />
          <MenuItem id="top" label={ruleWords.moveTop()} onAction={() => onMove(0)} />
        </>
      )}
      {isLast ? null : (
        <>
          <MenuItem id="down" label={ruleWords.moveDown()} onAction={() => onMove(place + 1)} />
          <MenuItem id="bottom" label={ruleWords.moveBottom()} onAction={() => onMove(count - 1)} />
        </>
      )}
      <MenuItem id="duplicate" label={ruleWords.duplicate()} onAction={onDuplicate} />
      <MenuItem id="remove" label={ruleWords.remove()} onAction={onRemove} />
    </Menu>
  );
}
