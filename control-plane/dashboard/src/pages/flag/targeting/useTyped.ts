import { useState } from 'react';
import { useDraft } from '../../../flagState/draft';

type Read<T> = { ok: true; value: T } | { ok: false };

interface TypedOptions<T> {
  /** Names the field among all of the draft. */
  field: string;
  /** The value as text. */
  shown: string;
  read: (text: string) => Read<T>;
  onValue: (value: T) => void;
}

/**
 * A field for text that is not always a value. While it is typed the text stays as it is; what is no value
 * is kept beside the draft, so that it is neither lost nor saved.
 */
export function useTyped<T>({ field, shown, read, onValue }: TypedOptions<T>) {
  const { texts, setText } = useDraft();
  const [typed, setTyped] = useState<string | null>(null);
  const kept = texts[field];
  return {
    value: typed ?? kept ?? shown,
    isWrong: kept !== undefined,
    onChange: (text: string) => {
      setTyped(text);
      const result = read(text);
      setText(field, result.ok ? null : text);
      if (result.ok) onValue(result.value);
    },
    onBlur: () => setTyped(null),
  };
}
