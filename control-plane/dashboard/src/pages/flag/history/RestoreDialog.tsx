import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FlagState } from '../../../api/model';
import type { Refusal } from '../../../api/refusal';
import { Behind } from '../../../diff/Behind';
import { differences } from '../../../diff/differences';
import { SaveDialog } from '../../../diff/SaveDialog';
import { useShown } from '../../../diff/useShown';
import type { Names } from '../../../diff/versions';
import { draftOf, useDraft } from '../../../flagState/draft';
import { needs, patchOf } from '../../../flagState/patch';
import { requestApproval } from '../../../flagState/save';
import { useMe } from '../../../session/me';
import { mayEditRules, mayRequest, mayToggle } from '../../../session/permissions';
import { say } from '../../../ui/say';
import { useOnline } from '../../../ui/useOnline';
import { sayServed } from '../sayServed';
import type { TabProps } from '../tabProps';
import { ruleWords } from '../targeting/messages';
import { restored } from './compare';
import { history } from './messages';
import { restore } from './queries';

interface RestoreDialogProps extends TabProps {
  version: number;
  state: FlagState;
  names: Names;
  onClose: () => void;
}

/** Shows the difference that restoring makes now, and restores or requests it. It follows what others save meanwhile. */
export function RestoreDialog({
  project,
  flag,
  environment,
  version,
  state,
  names,
  onClose,
}: RestoreDialogProps) {
  const client = useQueryClient();
  const { stored, isDirty } = useDraft();
  const isOnline = useOnline();
  const [openedAt] = useState(Date.now);
  const [pending, setPending] = useState<'save' | 'request' | null>(null);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const me = useMe();
  const { shown, isBehind, catchUp } = useShown(stored);
  const before = draftOf(shown.state);
  const after = restored(state, openedAt);
  const isSame = differences({ state: before }, { state: after }, names).length === 0;
  const isPastDropped = differences({ state: after }, { state: draftOf(state) }, names).length > 0;

  async function save(comment: string) {
    setPending('save');
    setRefusal(null);
    const answer = await restore({
      projectId: project.id,
      flagKey: flag.key,
      envId: environment.id,
      version,
      etag: shown.etag,
      comment,
    });
    await client.invalidateQueries({ queryKey: ['flag', project.id, flag.key] });
    void client.invalidateQueries({ queryKey: ['overview', project.id] });
    setPending(null);
    if (answer.ok) {
      sayServed(history.restored(version, environment.name), answer.response.headers);
      onClose();
    } else setRefusal(answer.refusal);
  }

  async function request(comment: string) {
    setPending('request');
    setRefusal(null);
    const answer = await requestApproval(flag.id, environment.id, patchOf(before, after), comment.trim());
    setPending(null);
    if (!answer.ok) {
      setRefusal(answer.refusal);
      return;
    }
    void client.invalidateQueries({ queryKey: ['overview', project.id] });
    void client.invalidateQueries({ queryKey: ['approvals'] });
    say(ruleWords.requested(environment.name));
    onClose();
  }

  const needed = needs(patchOf(before, after));
  const isAllowed =
    (!needed.toggle || mayToggle(me, environment.id)) && (!needed.rules || mayEditRules(me, environment.id));
  const whyNot = isSame
    ? history.restoreNothing()
    : !isAllowed
      ? history.mayNot(environment.name)
      : environment.protected
        ? ruleWords.byApproval(environment.name)
        : undefined;
  return (
    <SaveDialog
      title={history.restoreTitle(version, environment.name)}
      before={{ state: before }}
      after={{ state: after }}
      names={names}
      refusal={refusal?.kind === 'changed' ? null : refusal}
      save={{
        label: history.restore(version),
        onPress: comment => void save(comment),
        isPending: pending === 'save',
        whyNot,
        isDisabled: !isOnline || isBehind,
      }}
      {...(whyNot !== undefined && !isSame && mayRequest(me)
        ? {
            requestApproval: {
              label: ruleWords.requestApproval(),
              onPress: comment => void request(comment),
              isPending: pending === 'request',
              isDisabled: !isOnline || isBehind,
            },
          }
        : {})}
      onCancel={onClose}
    >
      {isBehind ? <Behind onShow={catchUp} /> : null}
      <p>{history.restoreText()}</p>
      {isPastDropped ? <p className="soft">{history.pastSchedule()}</p> : null}
      {isDirty ? <p className="soft">{history.draftStays()}</p> : null}
    </SaveDialog>
  );
}
