import { Check, Copy } from 'lucide-react';
import { t } from '../messages/open';
import { Button, IconButton } from './Button';
import { useCopied } from './useCopied';

interface CopyButtonProps {
  text: string;
  /** What is copied, as in "Copy the secret". */
  label: string;
  /** The icon alone, beside the text that it copies. */
  isSmall?: boolean;
}

export function CopyButton({ text, label, isSmall = false }: CopyButtonProps) {
  const { isCopied, copy } = useCopied(text);
  const icon = isCopied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />;
  if (isSmall) {
    return (
      <>
        <IconButton label={label} onPress={copy}>
          {icon}
        </IconButton>
        <span className="hidden" role="status">
          {isCopied ? t.common.copied() : ''}
        </span>
      </>
    );
  }
  return (
    <Button onPress={copy}>
      {icon}
      <span aria-live="polite">{isCopied ? t.common.copied() : label}</span>
    </Button>
  );
}
