import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { use, useState } from 'react';
import type { Refusal } from '../../../api/refusal';
import { dependantsQuery } from '../../../flagState/dependants';
import { useDraft } from '../../../flagState/draft';
import { environmentsQuery } from '../../../frame/environments';
import { t } from '../../../messages/en';
import { Button } from '../../../ui/Button';
import { Dialog, DialogActions } from '../../../ui/Dialog';
import { TextField } from '../../../ui/Field';
import { ServerForm } from '../../../ui/ServerForm';
import { say } from '../../../ui/say';
import { DependantList } from '../Dependants';
import { LeavingContext } from '../leaving';
import type { TabProps } from '../tabProps';
import { settings } from './messages';
import { deleteFlag } from './queries';

interface DeleteDialogProps extends TabProps {
  etag: string;
  onClose: () => void;
}

/** Says which flags it takes along, and wants the key typed. */
export function DeleteDialog({ project, flag, etag, onClose }: DeleteDialogProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { reset } = useDraft();
  const setLeaving = use(LeavingContext);
  const [seen] = useState(etag);
  const [typed, setTyped] = useState('');
  const uses = useQuery(dependantsQuery(project.id, flag.key));
  const environments = useQuery(environmentsQuery(project.id));

  async function submit(): Promise<Refusal | null> {
    setLeaving(true);
    const answer = await deleteFlag({ projectID: project.id, flagKey: flag.key }, seen);
    if (!answer.ok) {
      setLeaving(false);
      if (answer.refusal.kind === 'changed') {
        await client.invalidateQueries({ queryKey: ['flag', project.id, flag.key] });
      }
      return answer.refusal;
    }
    reset();
    say(settings.deleted(flag.key));
    await navigate({ to: '/p/$project/flags', params: { project: project.slug }, ignoreBlocker: true });
    client.removeQueries({ queryKey: ['flag', project.id, flag.key] });
    await client.invalidateQueries({ queryKey: ['overview', project.id] });
    return null;
  }

  return (
    <Dialog title={settings.deleteReviewTitle(flag.key)} isOpen onClose={onClose}>
      <ServerForm
        label={settings.deleteReviewTitle(flag.key)}
        onSubmit={submit}
        explain={refusal => (refusal.kind === 'changed' ? { text: settings.deleteMeanwhile() } : null)}
      >
        {({ isPending, isWaiting }) => (
          <>
            <p>{settings.deleteText()}</p>
            {uses.data !== undefined && uses.data.total > 0 ? (
              <div className="stack close">
                <p>{settings.deleteDependants(uses.data.total)}</p>
                <DependantList
                  project={project}
                  flags={uses.data.flags}
                  total={uses.data.total}
                  environments={environments.data?.data ?? []}
                />
              </div>
            ) : null}
            <TextField
              label={settings.typeKey(flag.key)}
              value={typed}
              onChange={setTyped}
              autoFocus
              autoComplete="off"
              spellCheck="false"
            />
            <DialogActions>
              <Button onPress={onClose}>{t.common.cancel()}</Button>
              <Button
                type="submit"
                look="danger"
                isPending={isPending}
                isDisabled={isWaiting || uses.isPending || typed.trim() !== flag.key}
              >
                {settings.delete()}
              </Button>
            </DialogActions>
          </>
        )}
      </ServerForm>
    </Dialog>
  );
}
