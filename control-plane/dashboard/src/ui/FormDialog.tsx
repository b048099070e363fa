import type { ComponentProps, ReactNode } from 'react';
import { t } from '../messages/en';
import { Button } from './Button';
import { Dialog, DialogActions } from './Dialog';
import { ServerForm } from './ServerForm';

interface FormDialogProps extends Pick<ComponentProps<typeof ServerForm>, 'explain' | 'onSubmit'> {
  title: string;
  /** Names the action on the button. */
  submit: string;
  look?: 'primary' | 'danger';
  /** Whether it can be sent; the service checks what was entered. */
  isReady?: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** A form in a dialog of its own, with a button that sends it and one that cancels. */
export function FormDialog({
  title,
  submit,
  look = 'primary',
  isReady = true,
  onClose,
  children,
  ...form
}: FormDialogProps) {
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <ServerForm label={title} {...form}>
        {({ isPending, isWaiting }) => (
          <>
            {children}
            <DialogActions>
              <Button onPress={onClose}>{t.common.cancel()}</Button>
              <Button type="submit" look={look} isPending={isPending} isDisabled={isWaiting || !isReady}>
                {submit}
              </Button>
            </DialogActions>
          </>
        )}
      </ServerForm>
    </Dialog>
  );
}
