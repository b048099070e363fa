import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '../messages/en';
import { number } from '../messages/format';
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
        <span className="hidden">{isDone ? t.onboarding.stepDone() : t.onboarding.stepOpen()}</span>
      </span>
      <div className={styles.body}>
        <h2>{title}</h2>
        {children}
      </div>
    </li>
  );
}
