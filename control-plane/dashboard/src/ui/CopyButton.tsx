import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { t } from '../messages/open';
import { Button } from './Button';
import { warn } from './say';

interface CopyButtonProps {
  text: string;
  /** What is copied, as in "Copy the secret". */
  label: string;
}

export function CopyButton({ text, label }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);

  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 2500);
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

  return (
    <Button onPress={copy}>
      {isCopied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
      <span aria-live="polite">{isCopied ? t.common.copied() : label}</span>
    </Button>
  );
}
