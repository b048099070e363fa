import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Refusal } from '../../../api/refusal';
import { TypedConfirm } from '../../../parts/TypedConfirm';
import { Button } from '../../../ui/Button';
import { say } from '../../../ui/say';
import { type Column, Table } from '../../../ui/Table';
import { useNow } from '../../../ui/useNow';
import { Value } from '../../../ui/Value';
import { team } from '../messages';
import { type Identity, identitiesQuery, type TeamMember, unbind } from '../queries';

type Member = Pick<TeamMember, 'member_id' | 'name'>;

interface IdentitiesProps {
  member: Member;
  /** Nothing may be unbound. */
  isFixed: boolean;
}

/** What providers call a member; nothing where none has signed them in. */
export function Identities({ member, isFixed }: IdentitiesProps) {
  const { data } = useQuery(identitiesQuery(member.member_id));
  const now = useNow(60_000);
  const [asked, setAsked] = useState<Identity | null>(null);
  if (data === undefined || data.items.length === 0) return null;
  const columns: Column<Identity>[] = [
    { id: 'provider', title: team.provider(), cell: ({ provider_name }) => <Value>{provider_name}</Value> },
    { id: 'subject', title: team.subject(), cell: ({ subject }) => <Value>{subject}</Value> },
    { id: 'first', title: team.firstSignIn(), cell: one => <Moment at={one.created_at} now={now} /> },
    { id: 'last', title: team.lastSignIn(), cell: one => <Moment at={one.last_used_at} now={now} /> },
    {
      id: 'unbind',
      title: team.unbind(),
      isTitleHidden: true,
      cell: identity => (
        <Button
          aria-label={team.unbindFrom(identity.provider_name)}
          isDisabled={isFixed}
          onPress={() => setAsked(identity)}
        >
          {team.unbind()}
        </Button>
      ),
    },
  ];
  return (
    <section className="card" aria-labelledby="identities">
      <h2 id="identities">{team.identities()}</h2>
      <p className="soft">{team.identitiesText()}</p>
      <Table
        label={team.identities()}
        columns={columns}
        rows={data.items}
        rowId={({ provider_id }) => provider_id}
      />
      {asked === null ? null : <Unbind member={member} identity={asked} onClose={() => setAsked(null)} />}
    </section>
  );
}

function Moment({ at, now }: { at: string; now: number }) {
  return (
    <time dateTime={at} title={team.at(at)}>
      {team.ago(at, now)}
    </time>
  );
}

interface UnbindProps {
  member: Member;
  identity: Identity;
  onClose: () => void;
}

function Unbind({ member, identity, onClose }: UnbindProps) {
  const client = useQueryClient();
  const { provider_id, provider_name } = identity;

  async function confirm(): Promise<Refusal | null> {
    const answer = await unbind(member.member_id, provider_id);
    if (!answer.ok && answer.refusal.kind !== 'absent') return answer.refusal;
    say(team.unbound(member.name, provider_name));
    await client.invalidateQueries({ queryKey: ['team'] });
    return null;
  }

  return (
    <TypedConfirm
      title={team.unbindTitle(member.name, provider_name)}
      confirm={team.unbind()}
      typed={null}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>{team.unbindText(provider_name)}</p>
    </TypedConfirm>
  );
}
