import { Switch as AriaSwitch } from 'react-aria-components/Switch';
import styles from './Switch.module.css';

interface SwitchProps {
  label: string;
  isLabelHidden?: boolean;
  isOn: boolean;
  isDisabled?: boolean;
  onChange: (isOn: boolean) => void;
}

export function Switch({ label, isLabelHidden = false, isOn, isDisabled = false, onChange }: SwitchProps) {
  return (
    <AriaSwitch
      className={styles.switch}
      isSelected={isOn}
      isDisabled={isDisabled}
      onChange={onChange}
      {...(isLabelHidden ? { 'aria-label': label } : {})}
    >
      <span className={styles.track}>
        <span className={styles.thumb} />
      </span>
      {isLabelHidden ? null : label}
    </AriaSwitch>
  );
}
