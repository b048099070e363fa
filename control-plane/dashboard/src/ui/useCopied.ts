import { useEffect, useState } from 'react';
import { t } from '../messages/open';
import { warn } from './say';

const SHOWN_MS = 2500;

/** Copies a text, and says for a moment that it did. */
export function useCopied(text: string) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);

  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      warn(t.common.copyFailed());
    }
  }

  return { isCopied, copy: () => void copy() };
}
