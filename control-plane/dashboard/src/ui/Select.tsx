import { Check, ChevronDown, Search, X } from 'lucide-react';
import { useRef } from 'react';
import { Button } from 'react-aria-components/Button';
import { Label } from 'react-aria-components/Label';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { Select as AriaSelect, SelectValue } from 'react-aria-components/Select';
import { Text } from 'react-aria-components/Text';
import { t } from '../messages/open';
import field from './Field.module.css';
import menu from './Menu.module.css';

export interface Choice {
  id: string;
  label: string;
}

interface SelectProps {
  label: string;
  /** Keeps the label for screen readers only, where the place says what it is. */
  isLabelHidden?: boolean;
  isDisabled?: boolean;
  description?: string;
  choices: readonly Choice[];
  value: string;
  onChange: (id: string) => void;
}

export function Select({
  label,
  isLabelHidden = false,
  isDisabled = false,
  description,
  choices,
  value,
  onChange,
}: SelectProps) {
  return (
    <AriaSelect
      className={field.field}
      value={value}
      onChange={key => onChange(String(key))}
      isDisabled={isDisabled}
      {...(isLabelHidden ? { 'aria-label': label } : {})}
    >
      {isLabelHidden ? null : <Label className={field.label}>{label}</Label>}
      <Button className={field.select}>
        <SelectValue />
        <ChevronDown size={16} aria-hidden />
      </Button>
      {description === undefined ? null : (
        <Text slot="description" className={field.description}>
          {description}
        </Text>
      )}
      <Popover className={menu.popover}>
        <ListBox className={menu.list} items={choices}>
          {choice => (
            <ListBoxItem className={menu.item} textValue={choice.label}>
              {({ isSelected }) => (
                <>
                  <span className={menu.mark}>{isSelected ? <Check size={16} aria-hidden /> : null}</span>
                  <span className={menu.name}>{choice.label}</span>
                </>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}

interface SearchFieldProps {
  label: string;
  value: string;
  onChange: (text: string) => void;
  id?: string;
}

/** Searches as one types; its label is for screen readers, its placeholder for the rest. */
export function SearchField({ label, value, onChange, id }: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const clear = () => {
    onChange('');
    input.current?.focus();
  };
  return (
    <div className={field.field}>
      <div className={field.box}>
        <Search size={16} aria-hidden className={field.leading} />
        <input
          ref={input}
          type="search"
          id={id}
          className={field.input}
          aria-label={label}
          placeholder={label}
          value={value}
          onChange={event => onChange(event.target.value)}
          onKeyDown={event => event.key === 'Escape' && value !== '' && clear()}
        />
        {value === '' ? null : (
          <button type="button" className={field.inside} aria-label={t.field.clearSearch()} onClick={clear}>
            <X size={16} aria-hidden />
          </button>
        )}
      </div>
    </div>
  );
}
