import { Link, type LinkProps } from '@tanstack/react-router';
import { CircleCheck, TriangleAlert, X } from 'lucide-react';
import {
  UNSTABLE_Toast as AriaToast,
  Text,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components/Toast';
import { t } from '../messages/open';
import { Button, IconButton } from './Button';
import styles from './Feedback.module.css';
import { Value } from './Value';

/** What can be done about it: something to run, or a page to open. */
export type SaidAction = { label: string } & (
  | { run: () => void; link?: never }
  | { link: Pick<LinkProps, 'to' | 'params'>; run?: never }
);

export interface Said {
  text: string;
  isBad: boolean;
  action?: SaidAction;
}

const queue = new ToastQueue<Said>({ maxVisibleToasts: 3 });

const SHOWN_MS = 6000;
/** What can be undone is shown for longer. */
const UNDO_MS = 12_000;

/** A success disappears after some seconds; a failure stays until it is closed. */
export function add(said: Said): void {
  queue.add(said, said.isBad ? {} : { timeout: said.action === undefined ? SHOWN_MS : UNDO_MS });
}

export default function Toasts() {
  return (
    <ToastRegion queue={queue} className={styles.toasts} aria-label={t.common.notifications()}>
      {({ toast }) => (
        <AriaToast
          toast={toast}
          className={`${styles.toast} ${toast.content.isBad ? styles.bad : styles.good}`}
        >
          <span className={styles.mark}>
            {toast.content.isBad ? (
              <TriangleAlert size={18} aria-hidden />
            ) : (
              <CircleCheck size={18} aria-hidden />
            )}
          </span>
          <ToastContent className={styles.text}>
            <Text slot="title">
              <Value>{toast.content.text}</Value>
            </Text>
          </ToastContent>
          {toast.content.action === undefined ? null : (
            <Action action={toast.content.action} onUsed={() => queue.close(toast.key)} />
          )}
          <IconButton slot="close" label={t.common.close()}>
            <X size={16} aria-hidden />
          </IconButton>
        </AriaToast>
      )}
    </ToastRegion>
  );
}

function Action({ action, onUsed }: { action: SaidAction; onUsed: () => void }) {
  if (action.link !== undefined) {
    return (
      <Link {...action.link} onClick={onUsed}>
        {action.label}
      </Link>
    );
  }
  return (
    <Button
      look="quiet"
      onPress={() => {
        action.run();
        onUsed();
      }}
    >
      {action.label}
    </Button>
  );
}
