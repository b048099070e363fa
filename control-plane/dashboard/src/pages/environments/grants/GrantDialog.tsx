import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../../api/refusal';
import type { Grant } from '../../../grants/queries';
import { shared } from '../../../parts/messages';
import { NameField } from '../../../parts/NameField';
import { useMe } from '../../../session/me';
import { TextField } from '../../../ui/Field';
import { FormDialog } from '../../../ui/FormDialog';
import { Select } from '../../../ui/Select';
import { Switch } from '../../../ui/Switch';
import { say } from '../../../ui/say';
import { rolesQuery } from '../../team/roles/queries';
import type { Environment } from '../queries';
import { grants as words } from './messages';
import { type GrantInput, giveGrant, type HolderKind, holdersQuery, replaceGrant } from './queries';

const HOUR = 3600;
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

interface GrantDialogProps {
  projectId: string;
  environments: readonly Environment[];
  /** The one that is edited; absent for a new one. */
  grant?: Grant;
  onClose: () => void;
}

/** Gives a grant, or replaces one; what the form does not have stays as it is. */
export function GrantDialog({ projectId, environments, grant, onClose }: GrantDialogProps) {
  const client = useQueryClient();
  const [name, setName] = useState(grant?.name ?? '');
  const [envId, setEnvId] = useState(
    () => grant?.env_id ?? environments.find(one => one.protected)?.id ?? environments[0]?.id ?? '',
  );
  const [kind, setKind] = useState<HolderKind>(grant?.holder.kind ?? 'member');
  const [holder, setHolder] = useState(grant?.holder.id ?? '');
  const [tags, setTags] = useState(grant?.tags.join(', ') ?? '');
  const [raise, setRaise] = useState(String((grant?.max_raise ?? 1000) / 100));
  const [span, setSpan] = useState(String(grant?.window_seconds ?? HOUR));
  const [lower, setLower] = useState(grant?.lower ?? true);
  const [kill, setKill] = useState(grant?.kill ?? true);
  const [isTimed, setTimed] = useState((grant?.hours ?? null) !== null);
  const hours = grant?.hours ?? { time_zone: ZONE };
  const environment = environments.find(({ id }) => id === envId);
  const points = Math.round(Number(raise.replace(',', '.')) * 100);
  const isRight = points >= 0 && points <= 10_000;

  async function save(): Promise<Refusal | null> {
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
      hours: isTimed ? hours : null,
      ends_at: grant?.ends_at ?? null,
    };
    const answer = await (grant === undefined
      ? giveGrant(projectId, body)
      : replaceGrant(projectId, grant.id, body));
    if (!answer.ok) return answer.refusal;
    say(grant === undefined ? words.given(answer.data.name) : words.saved(answer.data.name));
    onClose();
    await client.invalidateQueries({ queryKey: ['grants', projectId] });
    return null;
  }

  return (
    <FormDialog
      title={grant === undefined ? words.give() : words.editOf(grant.name)}
      submit={grant === undefined ? words.give() : shared.save()}
      isReady={isRight && holder !== ''}
      onSubmit={save}
      onClose={onClose}
    >
      <NameField value={name} onChange={setName} />
      <Select
        label={words.environment()}
        {...(environment?.protected === false ? { description: words.free() } : {})}
        choices={environments.map(one => ({ id: one.id, label: one.name }))}
        value={envId}
        onChange={setEnvId}
      />
      <Holder
        grant={grant}
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
        choices={words
          .spans(Number(span))
          .map(seconds => ({ id: String(seconds), label: words.span(seconds) }))}
        value={span}
        onChange={setSpan}
      />
      <Switch label={words.lower()} isOn={lower} onChange={setLower} />
      <Switch label={words.kill()} isOn={kill} onChange={setKill} />
      <Switch label={words.timed(hours)} isOn={isTimed} onChange={setTimed} />
    </FormDialog>
  );
}

interface HolderProps {
  grant: Grant | undefined;
  kind: HolderKind;
  id: string;
  onKind: (kind: HolderKind) => void;
  onId: (id: string) => void;
}

/** Who is to hold it. Nobody gives a grant to themselves. */
function Holder({ grant, kind, id, onKind, onId }: HolderProps) {
  const me = useMe();
  const mayRoles = me.features.custom_roles && me.permissions.includes('roles.manage');
  const members = useQuery(holdersQuery);
  const roles = useQuery({ ...rolesQuery, enabled: mayRoles });
  const kinds = (['member', 'role', 'access_token'] as const).filter(
    one => one !== 'role' || mayRoles || grant?.holder.kind === 'role',
  );
  const found =
    kind === 'member'
      ? (members.data ?? []).filter(({ user_id }) => user_id !== me.user.id)
      : (roles.data ?? []).filter(role => !role.built_in).map(role => ({ id: role.id, label: role.name }));
  // The lists need not have who holds it already.
  const held = grant === undefined || grant.holder.kind !== kind ? null : grant.holder.id;
  const choices =
    grant === undefined || held === null || found.some(one => one.id === held)
      ? found
      : [{ id: held, label: grant.holder_name }, ...found];
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
        // A list without choices does not open.
        <Select
          label={words.holder()}
          isDisabled={choices.length === 0}
          choices={choices}
          value={id}
          onChange={onId}
        />
      )}
    </>
  );
}
