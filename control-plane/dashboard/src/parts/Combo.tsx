import { ChevronDown } from 'lucide-react';
import { Button } from 'react-aria-components/Button';
import { ComboBox } from 'react-aria-components/ComboBox';
import { FieldError } from 'react-aria-components/FieldError';
import { Group } from 'react-aria-components/Group';
import { Input } from 'react-aria-components/Input';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import field from '../ui/Field.module.css';
import menu from '../ui/Menu.module.css';

export interface ComboChoice {
  id: string;
  label: string;
  /** The text that it puts into the field, and is found by; its label when absent. */
  text?: string;
}

interface ComboProps {
  /** Only for screen readers: the place says what it is. */
  label: string;
  placeholder?: string;
  choices: readonly ComboChoice[];
  /** The choices are those that fit what is typed; otherwise the list is searched here. */
  isSearched?: boolean;
  /** The text of the field. */
  value: string;
  onChange: (text: string) => void;
  /** A choice was taken from the list. */
  onChoose?: (id: string) => void;
  autoFocus?: boolean;
  isDisabled?: boolean;
  error?: string | undefined;
}

/** A text field that knows what was written elsewhere, and takes what is new. */
export function Combo({
  label,
  placeholder,
  choices,
  isSearched = false,
  value,
  onChange,
  onChoose,
  autoFocus = false,
  isDisabled = false,
  error,
}: ComboProps) {
  return (
    <ComboBox
      aria-label={label}
      className={field.field}
      allowsCustomValue
      menuTrigger="input"
      {...(isSearched ? { items: choices } : { defaultItems: choices })}
      inputValue={value}
      onInputChange={onChange}
      onChange={key => key !== null && onChoose?.(String(key))}
      isDisabled={isDisabled}
      isInvalid={error !== undefined}
      validationBehavior="aria"
    >
      <Group className={field.box}>
        <Input
          className={field.input}
          autoFocus={autoFocus}
          autoCapitalize="none"
          spellCheck={false}
          {...(placeholder === undefined ? {} : { placeholder })}
        />
        <Button className={field.inside}>
          <ChevronDown size={16} aria-hidden />
        </Button>
      </Group>
      <FieldError className={field.error}>{error}</FieldError>
      <Popover className={menu.popover}>
        <ListBox<ComboChoice> className={menu.list}>
          {choice => (
            <ListBoxItem className={menu.item} textValue={choice.text ?? choice.label}>
              <span className={menu.name}>{choice.label}</span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}
