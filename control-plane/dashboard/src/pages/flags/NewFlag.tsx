import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, outcome } from '../../api/client';
import type { Refusal } from '../../api/refusal';
import { environmentsQuery } from '../../frame/environments';
import { useCurrentProject } from '../../frame/project';
import { list } from '../../messages/format';
import { EditField } from '../../parts/Fields';
import { conflictAt } from '../../parts/keyConflict';
import { NameFields, useNewNames } from '../../parts/NameFields';
import { useMe } from '../../session/me';
import { mayToggle } from '../../session/permissions';
import { TextField } from '../../ui/Field';
import { FormDialog } from '../../ui/FormDialog';
import { Select } from '../../ui/Select';
import { Switch } from '../../ui/Switch';
import { say, warn } from '../../ui/say';
import { ruleWords } from '../flag/targeting/messages';
import { flagsPage } from './messages';
import styles from './NewFlag.module.css';
import { firstValueOf, tagsOf } from './newFlag';
import { newFlagWords } from './newFlagMessages';
import { switchOn } from './switchOn';
import { FLAG_TYPES } from './urlState';

interface NewFlagProps {
  projectId: string;
  onClose: () => void;
}

/** A flag starts switched off, except where it is turned on here. Its page opens, and its creator owns it. */
export default function NewFlag({ projectId, onClose }: NewFlagProps) {
  const client = useQueryClient();
  const me = useMe();
  const environments = useQuery(environmentsQuery(projectId)).data?.data ?? [];
  const names = useNewNames('key');
  const { name, handle: key } = names;
  const [type, setType] = useState<(typeof FLAG_TYPES)[number]>('boolean');
  const [value, setValue] = useState('');
  const [isTried, setTried] = useState(false);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const first = firstValueOf(type, value);
  const switchable = environments.filter(({ id }) => mayToggle(me, id));
  const slug = useCurrentProject()?.slug;
  const navigate = useNavigate();

  async function submit(fields: Record<string, string>): Promise<Refusal | null> {
    setTried(true);
    if (first !== null && !first.ok) {
      return { kind: 'invalid', message: ruleWords.wrong(first.why), field: 'default_value' };
    }
    const answer = await outcome(
      api.POST('/v1/projects/{projectID}/flags', {
        params: { path: { projectID: projectId } },
        body: {
          name,
          key,
          flag_type: type,
          tags: tagsOf(fields.tags ?? ''),
          owner_id: 'me',
          ...(first === null ? {} : { default_value: first.value }),
        },
      }),
    );
    if (!answer.ok) return answer.refusal;
    const results = await switchOn(
      projectId,
      key,
      switchable.filter(({ id }) => chosen.has(id)),
    );
    const on = results.filter(({ why }) => why === null).map(({ environment }) => environment.name);
    say(newFlagWords.created(key, on.length === 0 ? null : list(on)));
    for (const { environment, why } of results) {
      if (why !== null) warn(newFlagWords.createdOff(key, environment.name, why));
    }
    onClose();
    void client.invalidateQueries({ queryKey: ['overview', projectId] });
    if (slug !== undefined) {
      const open = results.find(({ why }) => why === null)?.environment.slug;
      void navigate({
        to: '/p/$project/flags/$key',
        params: { project: slug, key },
        search: open === undefined ? {} : { env: open },
      });
    }
    return null;
  }

  function explain(refusal: Refusal) {
    const conflict = conflictAt('key')(refusal);
    if (conflict === null) return null;
    const existing =
      slug === undefined ? null : (
        <Link to="/p/$project/flags/$key" params={{ project: slug, key }} onClick={onClose}>
          {newFlagWords.openExisting(key)}
        </Link>
      );
    return { ...conflict, action: existing };
  }

  function choose(id: string, isOn: boolean) {
    setChosen(before => new Set(isOn ? [...before, id] : [...before].filter(other => other !== id)));
  }

  return (
    <FormDialog
      title={flagsPage.create()}
      submit={flagsPage.create()}
      onSubmit={submit}
      explain={explain}
      onClose={onClose}
    >
      <NameFields by="key" description={newFlagWords.keyText()} {...names} autoFocus />
      <Select
        label={flagsPage.type()}
        {...(type === 'ab' ? { description: newFlagWords.typeText() } : {})}
        choices={FLAG_TYPES.map(id => ({ id, label: flagsPage.typeName(id) }))}
        value={type}
        onChange={id => {
          setType(FLAG_TYPES.find(known => known === id) ?? 'boolean');
          setValue('');
        }}
      />
      {type === 'ab' ? <p className="soft">{ruleWords.abText()}</p> : null}
      {type === 'boolean' ? (
        <Select
          label={newFlagWords.firstValue()}
          description={newFlagWords.firstValueText(type)}
          choices={[
            { id: '', label: ruleWords.isFalse() },
            { id: 'true', label: ruleWords.isTrue() },
          ]}
          value={value}
          onChange={setValue}
        />
      ) : (
        <EditField
          label={newFlagWords.firstValue()}
          description={newFlagWords.firstValueText(type)}
          isCode={type !== 'string'}
          isLong={type === 'json' || type === 'ab'}
          inputMode={type === 'number' ? 'decimal' : 'text'}
          value={value}
          onChange={setValue}
          error={isTried && first !== null && !first.ok ? ruleWords.wrong(first.why) : undefined}
        />
      )}
      <TextField
        name="tags"
        label={newFlagWords.tags()}
        description={newFlagWords.tagsText()}
        autoComplete="off"
      />
      {switchable.length === 0 ? null : (
        <fieldset className={styles.environments}>
          <legend>{newFlagWords.onAtOnce()}</legend>
          {switchable.map(({ id, name: environment }) => (
            <Switch key={id} label={environment} isOn={chosen.has(id)} onChange={isOn => choose(id, isOn)} />
          ))}
        </fieldset>
      )}
    </FormDialog>
  );
}
