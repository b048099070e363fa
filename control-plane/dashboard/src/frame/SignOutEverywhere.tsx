import { useState } from 'react';
import { t } from '../messages/en';
import { signOut } from '../messages/signOut';
import { endSessions } from '../session/endSessions';
import { end } from '../session/session';
import { ConfirmDialog } from '../ui/Dialog';
import { refusalText } from '../ui/refusalText';
import { warn } from '../ui/say';

/** Asks before every session of the user ends. */
export default function SignOutEverywhere({ onClose }: { onClose: () => void }) {
  const [isPending, setPending] = useState(false);

  async function confirm() {
    setPending(true);
    const refusal = (await endSessions('others')) ?? (await end());
    setPending(false);
    onClose();
    if (refusal !== null) warn(refusalText(refusal));
  }

  return (
    <ConfirmDialog
      title={signOut.everywhereTitle()}
      confirm={t.frame.signOutEverywhere()}
      isOpen
      isPending={isPending}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>{signOut.everywhereText()}</p>
    </ConfirmDialog>
  );
}
