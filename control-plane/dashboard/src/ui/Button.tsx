import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button';
import { t } from '../messages/open';
import styles from './Button.module.css';

type Look = 'primary' | 'secondary' | 'quiet' | 'danger';

export interface ButtonProps extends Omit<AriaButtonProps, 'children' | 'className' | 'style'> {
  look?: Look;
  /** Takes the whole width, as in the forms before sign-in. */
  wide?: boolean;
  children: ReactNode;
}

/** The class names of a button, for links that look like one. */
export function buttonClass(look: Look = 'secondary', wide = false): string {
  return [styles.button, styles[look], wide ? styles.wide : ''].join(' ');
}

/** While `isPending`, it keeps the focus, ignores presses and says that it works. */
export function Button({
  look,
  wide,
  isPending = false,
  type = 'button',
  onPress,
  children,
  ...rest
}: ButtonProps) {
  return (
    <AriaButton
      {...rest}
      type={isPending ? 'button' : type}
      aria-disabled={isPending || undefined}
      {...(isPending || onPress === undefined ? {} : { onPress })}
      className={`${buttonClass(look, wide)} ${isPending ? styles.pending : ''}`}
    >
      {isPending ? <Spinner /> : null}
      {children}
    </AriaButton>
  );
}

interface IconButtonProps extends Omit<ButtonProps, 'aria-label'> {
  label: string;
}

/** A square button that shows only an icon; its label is its name. */
export function IconButton({ label, look = 'quiet', children, ...rest }: IconButtonProps) {
  return (
    <AriaButton {...rest} aria-label={label} className={`${buttonClass(look)} ${styles.icon}`}>
      {children}
    </AriaButton>
  );
}

export function Spinner() {
  return <span className={styles.spinner} role="img" aria-label={t.common.working()} />;
}
