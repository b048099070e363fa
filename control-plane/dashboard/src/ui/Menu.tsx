import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { Header } from 'react-aria-components/Header';
import {
  Menu as AriaMenu,
  MenuItem as AriaMenuItem,
  MenuSection as AriaMenuSection,
  MenuTrigger,
} from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import styles from './Menu.module.css';

interface MenuProps {
  /** The button that opens it. */
  trigger: ReactNode;
  label: string;
  children: ReactNode;
}

export function Menu({ trigger, label, children }: MenuProps) {
  return (
    <MenuTrigger>
      {trigger}
      <Popover className={styles.popover} placement="bottom end">
        <AriaMenu className={styles.list} aria-label={label}>
          {children}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}

interface MenuItemProps {
  id: string;
  label: string;
  icon?: ReactNode;
  /** Shown at the end, for example the key that does the same. */
  hint?: string;
  onAction: () => void;
}

export function MenuItem({ id, label, icon, hint, onAction }: MenuItemProps) {
  return (
    <AriaMenuItem id={id} textValue={label} className={styles.item} onAction={onAction}>
      <span className={styles.mark}>{icon}</span>
      <span className={styles.name}>{label}</span>
      {hint === undefined ? null : <span className={styles.hint}>{hint}</span>}
    </AriaMenuItem>
  );
}

interface MenuChoicesProps {
  title: string;
  choices: readonly { id: string; label: string; hint?: string }[];
  value: string;
  onChange: (id: string) => void;
}

/** A section of a menu of which one item is chosen. */
export function MenuChoices({ title, choices, value, onChange }: MenuChoicesProps) {
  return (
    <AriaMenuSection
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={keys => {
        const [first] = keys;
        if (first !== undefined) onChange(String(first));
      }}
    >
      <Header className={styles.heading}>{title}</Header>
      {choices.map(choice => (
        <AriaMenuItem key={choice.id} id={choice.id} textValue={choice.label} className={styles.item}>
          {({ isSelected }) => (
            <>
              <span className={styles.mark}>{isSelected ? <Check size={16} aria-hidden /> : null}</span>
              <span className={styles.name}>{choice.label}</span>
              {choice.hint === undefined ? null : <span className={styles.hint}>{choice.hint}</span>}
            </>
          )}
        </AriaMenuItem>
      ))}
    </AriaMenuSection>
  );
}
