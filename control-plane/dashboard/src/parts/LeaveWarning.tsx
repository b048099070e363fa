import { useBlocker } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { t } from '../messages/en';
import { list } from '../messages/format';
import { isBeforeSignIn } from '../session/returnPath';
import { askFirst } from '../session/unsaved';
import { Button } from '../ui/Button';
import { Dialog, DialogActions } from '../ui/Dialog';

/** Asks before a page is left on which something is not saved, by a sign-out too; `names` are the environments. */
export function LeaveWarning({ names }: { names: readonly string[] }) {
  const isUnsaved = names.length > 0;
  const { status, proceed, reset } = useBlocker({
    // A session that ended leads to the sign-in, whatever is unsaved.
    shouldBlockFn: ({ current, next }) =>
      isUnsaved && current.pathname !== next.pathname && !isBeforeSignIn(next.pathname),
    enableBeforeUnload: () => isUnsaved,
    withResolver: true,
  });
  const [answer, setAnswer] = useState<{ give: (isLeaving: boolean) => void } | null>(null);
  useEffect(
    () => (isUnsaved ? askFirst(() => new Promise(give => setAnswer({ give }))) : undefined),
    [isUnsaved],
  );

  if (status !== 'blocked' && answer === null) return null;
  const settle = (isLeaving: boolean) => {
    answer?.give(isLeaving);
    setAnswer(null);
    if (status === 'blocked') (isLeaving ? proceed : reset)();
  };
  return (
    <Dialog title={t.leaving.title()} isOpen onClose={() => settle(false)}>
      <p>{t.leaving.text(list(names), names.length)}</p>
      <DialogActions>
        <Button onPress={() => settle(true)}>{t.leaving.drop()}</Button>
        <Button look="primary" onPress={() => settle(false)} autoFocus>
          {t.leaving.stay()}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
