import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Refusal, Refused } from '../../../api/refusal';
import { t } from '../../../messages/en';
import { NameField } from '../../../parts/NameField';
import { Button } from '../../../ui/Button';
import { Dialog, DialogActions } from '../../../ui/Dialog';
import { Banner } from '../../../ui/Feedback';
import { ServerForm } from '../../../ui/ServerForm';
import { StoredDialog } from '../../../ui/StoredDialog';
import { say } from '../../../ui/say';
import { KeyGrid } from './KeyGrid';
import { KEYS } from './keys';
import { roles as words } from './messages';
import { type CustomRole, createRole, roleQuery, updateRole } from './queries';

interface RoleEditorProps {
  /** Without one, a role is created. */
  role?: CustomRole;
  onClose: () => void;
}

/** A role's name and keys. The version that is edited is read when the dialog opens. */
export function RoleEditor({ role, onClose }: RoleEditorProps) {
  if (role === undefined) {
    const title = words.createTitle();
    return (
      <Dialog title={title} isOpen isWide onClose={onClose}>
        <Form stored={null} title={title} onClose={onClose} />
      </Dialog>
    );
  }
  const title = (role.built_in ? words.viewOf : words.editOf)(role.name);
  return (
    <StoredDialog title={title} isWide query={roleQuery(role.id)} onClose={onClose}>
      {stored => <Form stored={stored} title={title} onClose={onClose} />}
    </StoredDialog>
  );
}

interface FormProps {
  stored: { data: CustomRole; etag: string } | null;
  title: string;
  onClose: () => void;
}

function Form({ stored, title, onClose }: FormProps) {
  const client = useQueryClient();
  const [etag, setEtag] = useState(stored?.etag ?? '');
  const [name, setName] = useState(stored?.data.name ?? '');
  const [keys, setKeys] = useState<readonly string[]>(stored?.data.permissions ?? []);
  const [isChanged, setChanged] = useState(false);
  const isReadOnly = stored?.data.built_in === true;

  async function submit(): Promise<Refusal | null> {
    const body = { name: name.trim(), permissions: [...keys] };
    const answer = stored === null ? await createRole(body) : await updateRole(stored.data.id, etag, body);
    if (!answer.ok)
      return answer.refusal.kind === 'changed' && stored ? reload(stored.data.id) : answer.refusal;
    say(stored === null ? words.created(body.name) : words.saved(body.name));
    onClose();
    await client.invalidateQueries({ queryKey: ['roles'] });
    await client.invalidateQueries({ queryKey: ['me'] });
    return null;
  }

  /** After someone else saved: theirs is shown, to be looked at before it is saved over. */
  async function reload(id: string): Promise<Refusal | null> {
    try {
      const now = await client.fetchQuery({ ...roleQuery(id), staleTime: 0 });
      setEtag(now.etag);
      setName(now.data.name);
      setKeys(now.data.permissions);
      setChanged(true);
      return null;
    } catch (problem) {
      return problem instanceof Refused ? problem.refusal : { kind: 'offline' };
    }
  }

  const unknown = keys.filter(key => !KEYS.includes(key));
  return (
    <ServerForm
      label={title}
      onSubmit={submit}
      explain={refusal => (refusal.kind === 'conflict' ? { field: 'name', text: words.taken() } : null)}
    >
      {({ isPending, isWaiting }) => (
        <>
          {isChanged ? <Banner tone="warn">{words.changed()}</Banner> : null}
          {isReadOnly ? null : (
            <NameField description={words.nameText()} maxLength={100} value={name} onChange={setName} />
          )}
          <KeyGrid keys={keys} isReadOnly={isReadOnly} onChange={setKeys} />
          {unknown.length === 0 ? null : <p className="soft small">{words.others(unknown)}</p>}
          <p role="status">{words.summary(keys.filter(key => KEYS.includes(key)).length)}</p>
          {stored === null || isReadOnly ? null : <p className="soft small">{words.atOnce()}</p>}
          <DialogActions>
            <Button onPress={onClose}>{isReadOnly ? t.common.close() : t.common.cancel()}</Button>
            {isReadOnly ? null : (
              <Button type="submit" look="primary" isPending={isPending} isDisabled={isWaiting}>
                {stored === null ? words.make() : words.save()}
              </Button>
            )}
          </DialogActions>
        </>
      )}
    </ServerForm>
  );
}
