import { useBlocker } from '@tanstack/react-router';
import { t } from '../messages/en';
import { list } from '../messages/format';
import { isBeforeSignIn } from '../session/returnPath';
import { Button } from '../ui/Button';
import { Dialog, DialogActions } from '../ui/Dialog';

/** Asks before a page is left on which something is not saved; `names` are the environments. */
export function LeaveWarning({ names }: { names: readonly string[] }) {
  const isUnsaved = names.length > 0;
  const { status, proceed, reset } = useBlocker({
    // A session that ended leads to the sign-in, whatever is unsaved.
    shouldBlockFn: ({ current, next }) =>
      isUnsaved && current.pathname !== next.pathname && !isBeforeSignIn(next.pathname),
    enableBeforeUnload: () => isUnsaved,
    withResolver: true,
  });
  if (status !== 'blocked') return null;
  return (
    <Dialog title={t.leaving.title()} isOpen onClose={reset}>
      <p>{t.leaving.text(list(names), names.length)}</p>
      <DialogActions>
        <Button onPress={proceed}>{t.leaving.drop()}</Button>
        <Button look="primary" onPress={reset} autoFocus>
          {t.leaving.stay()}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
