import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../api/refusal';
import { Refused } from '../../api/refusal';
import { changedFields, mergeFields } from '../../diff/mergeFields';
import { t } from '../../messages/en';
import { Conflicts } from '../../parts/Conflicts';
import { conflictAt } from '../../parts/keyConflict';
import { shared } from '../../parts/messages';
import { useMe } from '../../session/me';
import { mayGuard } from '../../session/permissions';
import { Button } from '../../ui/Button';
import { DialogActions } from '../../ui/Dialog';
import { Banner } from '../../ui/Feedback';
import { TextField } from '../../ui/Field';
import { ServerForm } from '../../ui/ServerForm';
import { StoredDialog } from '../../ui/StoredDialog';
import { say } from '../../ui/say';
import { EnvironmentFields } from './EnvironmentFields';
import { GuardFields } from './GuardFields';
import { environments as words } from './messages';
import {
  type Environment,
  environmentQuery,
  type GuardedFields as Fields,
  updateEnvironment,
} from './queries';

interface EditEnvironmentProps {
  projectId: string;
  environment: Environment;
  onClose: () => void;
}

/** The version that is edited is read when the dialog opens, and stays the same until it is saved. */
export function EditEnvironment({ projectId, environment, onClose }: EditEnvironmentProps) {
  return (
    <StoredDialog
      title={words.edit(environment.name)}
      query={environmentQuery(projectId, environment.id)}
      onClose={onClose}
    >
      {stored => <Form projectId={projectId} stored={stored} onClose={onClose} />}
    </StoredDialog>
  );
}

interface FormProps {
  projectId: string;
  stored: { data: Environment; etag: string };
  onClose: () => void;
}

interface Meanwhile {
  mine: Fields;
  theirs: Fields;
  conflicts: (keyof Fields)[];
}

function Form({ projectId, stored, onClose }: FormProps) {
  const client = useQueryClient();
  const me = useMe();
  const [base, setBase] = useState(() => ({ etag: stored.etag, fields: fieldsOf(stored.data) }));
  const [fields, setFields] = useState(base.fields);
  const [meanwhile, setMeanwhile] = useState<Meanwhile | null>(null);
  const [typed, setTyped] = useState('');
  const movesPath = fields.slug !== base.fields.slug;
  const isConfirmed = !movesPath || typed.trim() === base.fields.slug;

  async function submit(): Promise<Refusal | null> {
    if (!isConfirmed) return null;
    const answer = await updateEnvironment(
      projectId,
      stored.data.id,
      base.etag,
      changedFields(base.fields, fields),
    );
    if (!answer.ok) return answer.refusal.kind === 'changed' ? merge() : answer.refusal;
    say(words.saved(answer.data.name));
    onClose();
    await Promise.all([
      client.invalidateQueries({ queryKey: ['environments', projectId] }),
      client.invalidateQueries({ queryKey: ['overview', projectId] }),
    ]);
    return null;
  }

  async function merge(): Promise<Refusal | null> {
    try {
      const now = await client.fetchQuery({
        ...environmentQuery(projectId, stored.data.id),
        staleTime: 0,
      });
      const theirs = fieldsOf(now.data);
      const { merged, conflicts } = mergeFields(base.fields, fields, theirs);
      setMeanwhile({ mine: fields, theirs, conflicts });
      setBase({ etag: now.etag, fields: theirs });
      setFields(merged);
      setTyped('');
      return null;
    } catch (problem) {
      if (problem instanceof Refused) return problem.refusal;
      throw problem;
    }
  }

  return (
    <ServerForm label={words.edit(base.fields.name)} onSubmit={submit} explain={conflictAt('slug')}>
      {({ isPending, isWaiting }) => (
        <>
          {meanwhile === null ? null : (
            <Conflicts
              conflicts={meanwhile.conflicts.map(field => ({
                field,
                mine: words.shown(meanwhile.mine[field]),
                theirs: words.shown(meanwhile.theirs[field]),
                chosen: fields[field] === meanwhile.theirs[field] ? 'theirs' : 'mine',
              }))}
              onChoose={(field, chosen) => {
                const known = meanwhile.conflicts.find(candidate => candidate === field);
                if (known !== undefined) setFields({ ...fields, [known]: meanwhile[chosen][known] });
              }}
            />
          )}
          <EnvironmentFields fields={fields} onChange={next => setFields({ ...fields, ...next })} />
          {mayGuard(me) ? (
            <GuardFields fields={fields} onChange={next => setFields({ ...fields, ...next })} />
          ) : null}
          {movesPath ? (
            <>
              <Banner tone="warn">{words.slugChange(base.fields.slug, fields.slug)}</Banner>
              <TextField
                label={shared.typeToConfirm(base.fields.slug)}
                autoComplete="off"
                spellCheck="false"
                value={typed}
                onChange={setTyped}
              />
            </>
          ) : null}
          <DialogActions>
            <Button onPress={onClose}>{t.common.cancel()}</Button>
            <Button type="submit" look="primary" isPending={isPending} isDisabled={isWaiting || !isConfirmed}>
              {shared.save()}
            </Button>
          </DialogActions>
        </>
      )}
    </ServerForm>
  );
}

function fieldsOf({ name, slug, color, protected: isProtected, required_approvals }: Environment): Fields {
  return { name, slug, color, protected: isProtected, required_approvals };
}
