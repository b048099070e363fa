import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../../api/refusal';
import { useMe } from '../../../session/me';
import { TextField } from '../../../ui/Field';
import { FormDialog } from '../../../ui/FormDialog';
import { Select } from '../../../ui/Select';
import { Switch } from '../../../ui/Switch';
import { say } from '../../../ui/say';
import { rolesQuery } from '../../team/roles/queries';
import type { Environment } from '../queries';
import { grants as words } from './messages';
import { type GrantInput, giveGrant, type HolderKind, holdersQuery } from './queries';

const HOUR = '3600';
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

interface NewGrantProps {
  projectId: string;
  environments: readonly Environment[];
  onClose: () => void;
}

export function NewGrant({ projectId, environments, onClose }: NewGrantProps) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const [envId, setEnvId] = useState(
    () => environments.find(one => one.protected)?.id ?? environments[0]?.id ?? '',
  );
  const [kind, setKind] = useState<HolderKind>('member');
  const [holder, setHolder] = useState('');
  const [tags, setTags] = useState('');
  const [raise, setRaise] = useState('10');
  const [span, setSpan] = useState(HOUR);
  const [lower, setLower] = useState(true);
  const [kill, setKill] = useState(true);
  const [workdays, setWorkdays] = useState(false);
  const environment = environments.find(({ id }) => id === envId);
  const points = Math.round(Number(raise.replace(',', '.')) * 100);
  const isRight = points >= 0 && points <= 10_000;

  async function give(): Promise<Refusal | null> {
    if (!isRight) return null;
    const body: GrantInput = {
      name,
      env_id: envId,
      holder: { kind, id: holder.trim() },
      tags: tags.split(',').flatMap(tag => tag.trim() || []),
      max_raise: points,
      window_seconds: Number(span),
      lower,
      kill,
      hours: workdays ? { time_zone: ZONE } : null,
    };
    const answer = await giveGrant(projectId, body);
    if (!answer.ok) return answer.refusal;
    say(words.given(answer.data.name));
    onClose();
    await client.invalidateQueries({ queryKey: ['grants', projectId] });
    return null;
  }

  return (
    <FormDialog
      title={words.give()}
      submit={words.give()}
      isReady={isRight && holder !== ''}
      onSubmit={give}
      onClose={onClose}
    >
      <TextField
        name="name"
        label={words.name()}
        isRequired
        autoFocus
        autoComplete="off"
        maxLength={255}
        value={name}
        onChange={setName}
      />
      <Select
        label={words.environment()}
        {...(environment?.protected === false ? { description: words.free() } : {})}
        choices={environments.map(one => ({ id: one.id, label: one.name }))}
        value={envId}
        onChange={setEnvId}
      />
      <Holder
        kind={kind}
        id={holder}
        onKind={next => {
          setKind(next);
          setHolder('');
        }}
        onId={setHolder}
      />
      <TextField
        name="tags"
        label={words.tags()}
        description={words.tagsText()}
        autoComplete="off"
        value={tags}
        onChange={setTags}
      />
      <TextField
        name="max_raise"
        label={words.raise()}
        description={isRight ? words.raiseText() : words.wrongPoints()}
        inputMode="decimal"
        autoComplete="off"
        value={raise}
        onChange={setRaise}
      />
      <Select
        label={words.per()}
        choices={Object.entries(words.spans).map(([id, label]) => ({ id, label }))}
        value={span}
        onChange={setSpan}
      />
      <Switch label={words.lower()} isOn={lower} onChange={setLower} />
      <Switch label={words.kill()} isOn={kill} onChange={setKill} />
      <Switch label={words.workdays(ZONE)} isOn={workdays} onChange={setWorkdays} />
    </FormDialog>
  );
}

interface HolderProps {
  kind: HolderKind;
  id: string;
  onKind: (kind: HolderKind) => void;
  onId: (id: string) => void;
}

/** Who is to hold it. Nobody gives a grant to themselves. */
function Holder({ kind, id, onKind, onId }: HolderProps) {
  const me = useMe();
  const mayRoles = me.features.custom_roles && me.permissions.includes('roles.manage');
  const members = useQuery(holdersQuery);
  const roles = useQuery({ ...rolesQuery, enabled: mayRoles });
  const kinds = (['member', 'role', 'access_token'] as const).filter(one => one !== 'role' || mayRoles);
  const choices =
    kind === 'member'
      ? (members.data ?? []).filter(({ user_id }) => user_id !== me.user.id)
      : (roles.data ?? []).filter(role => !role.built_in).map(role => ({ id: role.id, label: role.name }));
  return (
    <>
      <Select
        label={words.kind()}
        choices={kinds.map(one => ({ id: one, label: words.kinds[one] ?? one }))}
        value={kind}
        onChange={next => {
          const known = kinds.find(one => one === next);
          if (known !== undefined) onKind(known);
        }}
      />
      {kind === 'access_token' ? (
        <TextField name="holder" label={words.token()} autoComplete="off" value={id} onChange={onId} />
      ) : (
        <Select label={words.holder()} choices={choices} value={id} onChange={onId} />
      )}
    </>
  );
}
