import { useEffect, useState } from 'react';
import { SearchField } from '../../ui/Select';
import { team } from './messages';
import styles from './Team.module.css';

/** Typing pauses this long before the service is asked. */
const PAUSE_MS = 200;

interface SearchProps {
  q: string;
  onChange: (q: string | undefined) => void;
}

/** Searches as one types; the address follows when typing pauses. */
export function Search({ q, onChange }: SearchProps) {
  const [typed, setTyped] = useState(q);
  useEffect(() => {
    const text = typed.trim();
    if (text === q) return;
    const timer = setTimeout(() => onChange(text === '' ? undefined : text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, q, onChange]);
  return (
    <search className={styles.search}>
      <SearchField label={team.search()} value={typed} onChange={setTyped} />
    </search>
  );
}
