import { Check, X } from 'lucide-react';
import styles from './Explain.module.css';

interface VerdictProps {
  isGood: boolean;
  label: string;
}

/** Yes or no, by mark, word and colour. */
export function Verdict({ isGood, label }: VerdictProps) {
  return (
    <span className={`${styles.verdict} ${isGood ? styles.good : ''}`}>
      {isGood ? <Check size={14} aria-hidden /> : <X size={14} aria-hidden />}
      {label}
    </span>
  );
}
