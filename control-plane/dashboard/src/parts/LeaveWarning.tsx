import { useBlocker } from '@tanstack/react-router';
import { list } from '../messages/format';
import { flagWords } from '../pages/flag/messages';
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
    <Dialog title={flagWords.leaveTitle()} isOpen onClose={reset}>
      <p>{flagWords.leaveText(list(names), names.length)}</p>
      <DialogActions>
        <Button onPress={proceed}>{flagWords.leave()}</Button>
        <Button look="primary" onPress={reset} autoFocus>
          {flagWords.stay()}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
