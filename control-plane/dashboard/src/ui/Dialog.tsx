import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading } from 'react-aria-components/Dialog';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { t } from '../messages/open';
import { Button } from './Button';
import styles from './Dialog.module.css';
import { shown } from './shown';
import { useOnline } from './useOnline';

interface DialogProps {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  /** For what is shown once: neither a click outside nor Escape closes it. */
  isKept?: boolean;
  isWide?: boolean;
  /** What is below it is not to be read while it is open. */
  hidesPage?: boolean;
  children: ReactNode;
}

export function Dialog({
  title,
  isOpen,
  onClose,
  isKept = false,
  isWide = false,
  hidesPage = false,
  children,
}: DialogProps) {
  return (
    <ModalOverlay
      className={`${styles.veil} ${hidesPage ? styles.opaque : ''}`}
      isOpen={isOpen}
      onOpenChange={open => open || onClose()}
      isDismissable={!isKept}
      isKeyboardDismissDisabled={isKept}
    >
      <Modal className={`${styles.modal} ${isWide ? styles.wide : ''}`}>
        <AriaDialog className={styles.dialog}>
          <Heading slot="title" level={2}>
            {shown(title)}
          </Heading>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/** The row of buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>;
}

interface ConfirmProps {
  title: string;
  confirm: string;
  isOpen: boolean;
  isPending?: boolean;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}

/** Says what will happen before it does; the button names the action. */
export function ConfirmDialog({
  title,
  confirm,
  isOpen,
  isPending = false,
  onConfirm,
  onClose,
  children,
}: ConfirmProps) {
  const isOnline = useOnline();
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      {children}
      <DialogActions>
        <Button onPress={onClose}>{t.common.cancel()}</Button>
        <Button look="danger" isPending={isPending} isDisabled={!isOnline} onPress={onConfirm}>
          {confirm}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
