import { X } from 'lucide-react';
import { type ClipboardEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import styles from '../parts/Fields.module.css';
import { Button } from '../ui/Button';
import field from '../ui/Field.module.css';
import { Value } from '../ui/Value';
import { separatorIn, splitAt, splitValues } from './edit';
import { conditionWords } from './messages';

interface ChipsFieldProps {
  label: string;
  placeholder?: string;
  values: readonly string[];
  onChange: (values: string[]) => void;
  /** Values are patterns: commas belong to them. */
  isPattern?: boolean;
  isDisabled?: boolean;
  /** Takes the focus when it appears. */
  autoFocus?: boolean;
  error?: string | undefined;
}

/** Chips that are shown at first. */
const MOST_SHOWN = 50;

/** Several values: Enter, a comma or leaving the field adds what is typed; a pasted list becomes as many chips. */
export function ChipsField({
  label,
  placeholder = conditionWords.valuesPlaceholder(),
  values,
  onChange,
  isPattern = false,
  isDisabled = false,
  autoFocus = false,
  error,
}: ChipsFieldProps) {
  const [typed, setTyped] = useState('');
  const [isAll, setAll] = useState(false);
  // What was added last, which may be several values in one.
  const [added, setAdded] = useState<readonly string[]>([]);
  const input = useRef<HTMLInputElement>(null);
  const errorId = useId();
  useEffect(() => {
    if (autoFocus) input.current?.focus();
  }, [autoFocus]);
  const shown = isAll ? values : values.slice(0, MOST_SHOWN);

  const add = (text: string) => {
    const fresh = splitValues(text, isPattern).filter(value => !values.includes(value));
    if (fresh.length > 0) {
      onChange([...values, ...fresh]);
      setAdded(fresh);
    }
    setTyped('');
  };
  const unsplit = isPattern || isDisabled ? [] : added.filter(value => values.includes(value));
  const separator = separatorIn(unsplit);
  const drop = (value: string) => {
    onChange(values.filter(other => other !== value));
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' || (event.key === ',' && !isPattern && !typed.startsWith('"'))) {
      event.preventDefault();
      add(typed);
    } else if (event.key === 'Backspace' && typed === '') {
      onChange(values.slice(0, -1));
    }
  };
  const onPaste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData('text');
    if (splitValues(text, isPattern).length < 2) return;
    event.preventDefault();
    add(typed + text);
  };

  return (
    <div className={field.field}>
      <div
        className={field.box}
        {...(error === undefined ? {} : { 'data-invalid': true })}
        {...(isDisabled ? { 'data-disabled': true } : {})}
      >
        <div className={styles.chips}>
          {shown.length > 0 ? (
            <ul className={styles.chipList} aria-label={label}>
              {shown.map(value => (
                <li key={value} className={styles.chip}>
                  <span title={value}>
                    {value === '' ? conditionWords.emptyText() : <Value>{value}</Value>}
                  </span>
                  {isDisabled ? null : (
                    <button
                      type="button"
                      className={styles.drop}
                      aria-label={conditionWords.removeValue(value)}
                      onClick={() => drop(value)}
                    >
                      <X size={14} aria-hidden />
                    </button>
                  )}
                </li>
              ))}
            </ul>
          ) : null}
          {values.length > shown.length ? (
            <Button look="quiet" onPress={() => setAll(true)}>
              {conditionWords.showAllValues(values.length)}
            </Button>
          ) : null}
          <input
            ref={input}
            className={field.input}
            aria-label={label}
            aria-invalid={error === undefined ? undefined : true}
            aria-describedby={error === undefined ? undefined : errorId}
            placeholder={values.length === 0 ? placeholder : undefined}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            disabled={isDisabled}
            value={typed}
            onChange={event => setTyped(event.target.value)}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
            onBlur={() => add(typed)}
          />
        </div>
      </div>
      {separator === null ? null : (
        <div className="row">
          <Button
            look="quiet"
            onPress={() => {
              onChange(splitAt(values, unsplit, separator));
              setAdded([]);
              input.current?.focus();
            }}
          >
            {conditionWords.splitAt(separator)}
          </Button>
        </div>
      )}
      {error === undefined ? null : (
        <span id={errorId} className={field.error}>
          {error}
        </span>
      )}
    </div>
  );
}
