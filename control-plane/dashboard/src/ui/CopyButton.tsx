import { Check, Copy } from 'lucide-react';
import { t } from '../messages/open';
import { Button } from './Button';
import { useCopied } from './useCopied';

interface CopyButtonProps {
  text: string;
  /** What is copied, as in "Copy the secret". */
  label: string;
}

export function CopyButton({ text, label }: CopyButtonProps) {
  const { isCopied, copy } = useCopied(text);
  return (
    <Button onPress={copy}>
      {isCopied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
      <span aria-live="polite">{isCopied ? t.common.copied() : label}</span>
    </Button>
  );
}
