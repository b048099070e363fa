import type { ReactNode } from 'react';
import { Button } from '../ui/Button';
import { CopyButton } from '../ui/CopyButton';
import { Dialog, DialogActions } from '../ui/Dialog';
import { Banner } from '../ui/Feedback';
import { Code } from './Code';

interface ShownOnceProps {
  title: string;
  /** Says that this is the only time. */
  warning: string;
  label: string;
  secret: string;
  copy: string;
  /** Labels the button that closes the dialog; a click outside does not. */
  kept: string;
  onClose: () => void;
  children?: ReactNode;
}

/** A secret, this once. It is in the state of the page that opens this and nowhere else. */
export function ShownOnce({ title, warning, label, secret, copy, kept, onClose, children }: ShownOnceProps) {
  return (
    <Dialog title={title} isOpen isKept isWide onClose={onClose}>
      <Banner tone="warn">{warning}</Banner>
      <Code label={label} text={secret} isWrapped />
      <div>
        <CopyButton text={secret} label={copy} />
      </div>
      {children}
      <DialogActions>
        <Button look="primary" onPress={onClose}>
          {kept}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
