import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { requestApproval } from '../../flagState/save';
import { t } from '../../messages/en';
import { CommentField } from '../../parts/CommentField';
import { Button } from '../../ui/Button';
import { Dialog, DialogActions } from '../../ui/Dialog';
import { Banner } from '../../ui/Feedback';
import { refusalText } from '../../ui/refusalText';
import { say } from '../../ui/say';
import { useOnline } from '../../ui/useOnline';
import { confirmSwitch } from './bulk/messages';
import type { OverviewEnvironment, OverviewFlag } from './overview';

export interface SwitchQuestion {
  flag: OverviewFlag;
  environment: OverviewEnvironment;
  enabled: boolean;
  /** The state in words: rules, rollout, schedules. */
  words: readonly string[];
  run: () => void;
}

/** Asks before a switch in production; a protected environment takes a request for approval in its place. */
export default function ConfirmSwitch({
  projectId,
  flag,
  environment,
  enabled,
  words,
  run,
  onClose,
}: SwitchQuestion & { projectId: string; onClose: () => void }) {
  const client = useQueryClient();
  const isOnline = useOnline();
  const [isPending, setPending] = useState(false);
  const [comment, setComment] = useState('');
  const [why, setWhy] = useState<string | null>(null);
  const title = confirmSwitch.title(flag.name, environment.name, enabled);

  async function request() {
    setPending(true);
    const answer = await requestApproval(flag.id, environment.id, { enabled }, comment.trim());
    setPending(false);
    if (!answer.ok) return setWhy(refusalText(answer.refusal));
    say(confirmSwitch.requested(flag.name, environment.name), {
      label: confirmSwitch.openRequest(),
      link: { to: '/approvals/$id', params: { id: answer.data.id } },
    });
    void client.invalidateQueries({ queryKey: ['overview', projectId] });
    onClose();
  }

  return (
    <Dialog title={title} isOpen onClose={onClose}>
      {why === null ? null : <Banner tone="bad">{why}</Banner>}
      <p>
        {environment.protected
          ? confirmSwitch.protected(environment.name)
          : confirmSwitch.text(environment.name, enabled)}
      </p>
      {words.length === 0 ? null : <p className="soft">{confirmSwitch.state(words)}</p>}
      {environment.protected ? <CommentField value={comment} onChange={setComment} /> : null}
      <DialogActions>
        <Button onPress={onClose}>{t.common.cancel()}</Button>
        {environment.protected ? (
          <Button
            look="primary"
            isPending={isPending}
            isDisabled={!isOnline}
            onPress={() => void request()}
            autoFocus
          >
            {confirmSwitch.request()}
          </Button>
        ) : (
          <Button
            look="primary"
            isDisabled={!isOnline}
            onPress={() => {
              onClose();
              run();
            }}
            autoFocus
          >
            {confirmSwitch.confirm(environment.name, enabled)}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}
