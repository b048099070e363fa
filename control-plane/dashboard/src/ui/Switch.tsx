import styles from './Switch.module.css';

interface SwitchProps {
  label: string;
  isLabelHidden?: boolean;
  isOn: boolean;
  isDisabled?: boolean;
  /** -1 where the arrows of a grid lead to it. */
  tabIndex?: number;
  onChange: (isOn: boolean) => void;
}

/** One element, since a screen of flags has a hundred of them. It keeps the focus while it is disabled. */
export function Switch({
  label,
  isLabelHidden = false,
  isOn,
  isDisabled = false,
  tabIndex = 0,
  onChange,
}: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      tabIndex={tabIndex}
      className={styles.switch}
      aria-checked={isOn}
      aria-disabled={isDisabled || undefined}
      aria-label={isLabelHidden ? label : undefined}
      onClick={isDisabled ? undefined : () => onChange(!isOn)}
    >
      {isLabelHidden ? null : label}
    </button>
  );
}
