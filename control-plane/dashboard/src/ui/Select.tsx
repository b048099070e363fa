import { Check, ChevronDown, Search, X } from 'lucide-react';
import { Button } from 'react-aria-components/Button';
import { Group } from 'react-aria-components/Group';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { SearchField as AriaSearchField } from 'react-aria-components/SearchField';
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
  return (
    <AriaSearchField aria-label={label} value={value} onChange={onChange} className={field.field}>
      {({ isEmpty }) => (
        <Group className={field.box}>
          <Search size={16} aria-hidden className={field.leading} />
          <Input className={field.input} placeholder={label} {...(id === undefined ? {} : { id })} />
          {isEmpty ? null : (
            <Button className={field.inside} aria-label={t.field.clearSearch()}>
              <X size={16} aria-hidden />
            </Button>
          )}
        </Group>
      )}
    </AriaSearchField>
  );
}
