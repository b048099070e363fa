import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { number } from '../../messages/format';
import { onboarding } from './messages';
import styles from './Onboarding.module.css';

interface StepProps {
  position: number;
  title: string;
  isDone: boolean;
  children: ReactNode;
}

export function Step({ position, title, isDone, children }: StepProps) {
  return (
    <li className={styles.step}>
      <span className={`${styles.mark} ${isDone ? styles.done : ''}`}>
        {isDone ? <Check size={16} aria-hidden /> : number(position)}
        <span className="hidden">{isDone ? onboarding.stepDone() : onboarding.stepOpen()}</span>
      </span>
      <div className={styles.body}>
        <h2>{title}</h2>
        {children}
      </div>
    </li>
  );
}
