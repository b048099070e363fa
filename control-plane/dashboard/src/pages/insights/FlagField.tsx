import { useQuery } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import field from '../../ui/Field.module.css';
import { page } from './messages';
import { flagChoicesQuery } from './queries';

interface FlagFieldProps {
  projectId: string;
  /** The key; nothing for all flags. */
  value: string | undefined;
  onChange: (key: string | undefined) => void;
}

/** Chooses a flag by its key or name; empty for all. The browser's own list keeps the page small. */
export function FlagField({ projectId, value, onChange }: FlagFieldProps) {
  const id = useId();
  const [text, setText] = useState(value ?? '');
  const [asked, setAsked] = useState(text);
  useEffect(() => setText(value ?? ''), [value]);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), 200);
    return () => clearTimeout(timer);
  }, [text]);
  const found = useQuery(flagChoicesQuery(projectId, asked)).data ?? [];

  function choose(next: string) {
    const key = next.trim();
    if (key !== (value ?? '')) onChange(key === '' ? undefined : key);
  }

  return (
    <form
      className={field.field}
      onSubmit={event => {
        event.preventDefault();
        choose(text);
      }}
    >
      <label className={field.label} htmlFor={`${id}-flag`}>
        {page.flag()}
      </label>
      <div className={field.box}>
        <Search size={16} aria-hidden className={field.leading} />
        <input
          id={`${id}-flag`}
          type="search"
          className={field.input}
          list={`${id}-flags`}
          placeholder={page.allFlags()}
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          maxLength={255}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            const isChosen = target.value === '' || found.some(({ key }) => key === target.value);
            if (isChosen) choose(target.value);
          }}
          onBlur={() => choose(text)}
        />
        <datalist id={`${id}-flags`}>
          {found.map(({ key, name }) => (
            <option key={key} value={key}>
              {name}
            </option>
          ))}
        </datalist>
      </div>
    </form>
  );
}
