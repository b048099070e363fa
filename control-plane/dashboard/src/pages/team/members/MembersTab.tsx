import { getRouteApi } from '@tanstack/react-router';
import { UserPlus } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { Refused } from '../../../api/refusal';
import { type Command, useCommands } from '../../../frame/commands';
import { MayNot } from '../../../parts/MayNot';
import { PlanLimit, useSeatLimit } from '../../../parts/PlanLimit';
import { useMe } from '../../../session/me';
import { Button } from '../../../ui/Button';
import { Curl } from '../../../ui/Curl';
import { Empty, Loading, Skeleton } from '../../../ui/Feedback';
import { Optional } from '../../../ui/Optional';
import { RefusalPage } from '../../../ui/RefusalPage';
import { team } from '../messages';
import type { TeamMember } from '../queries';
import { mayManage } from '../rules';
import { Search } from '../Search';
import styles from '../Team.module.css';
import { useTeamRows } from '../useTeamRows';
import { InviteDialog } from './InviteDialog';
import { MemberDialogs } from './MemberDialogs';
import { MemberList, ROW_HEIGHT } from './MemberList';

const route = getRouteApi('/framed/team');

export type Asked = { kind: 'role' | 'sessions' | 'remove'; member: TeamMember } | null;

/** Everybody in the organization, searchable, and the way to invite more. */
export function MembersTab() {
  const me = useMe();
  const { q } = route.useSearch();
  const navigate = route.useNavigate();
  const rows = useTeamRows({ q }, ROW_HEIGHT);
  const limit = useSeatLimit();
  const [isInviting, setInviting] = useState(false);
  const [asked, setAsked] = useState<Asked>(null);
  const may = mayManage(me);
  const search = useCallback(
    (text: string | undefined) =>
      void navigate({ search: text === undefined ? {} : { q: text }, replace: true } as never),
    [navigate],
  );
  const invite = useCallback(() => setInviting(true), []);
  const commands = useMemo<Command[]>(
    () => (may ? [{ id: 'invite', title: team.invite(), section: 'actions', keys: 'c', run: invite }] : []),
    [may, invite],
  );
  useCommands(commands);

  const { data, error } = rows.first;
  if (data === undefined && error instanceof Refused) {
    return <RefusalPage refusal={error.refusal} />;
  }
  const button = (
    <Button look="primary" isDisabled={!may} onPress={invite}>
      <UserPlus size={16} aria-hidden />
      {team.invite()}
    </Button>
  );
  return (
    <div className="stack">
      <MayNot permit="members.manage" />
      <div className={styles.tools}>
        <Search key={q === undefined ? 'empty' : 'set'} q={q ?? ''} onChange={search} />
        {button}
      </div>
      <PlanLimit limit={limit} what="seats" />
      {data === undefined ? (
        <Loading>
          <Skeleton height="20rem" />
        </Loading>
      ) : rows.total === 0 && q !== undefined ? (
        <Empty
          title={team.noMatch(q)}
          action={<Button onPress={() => search(undefined)}>{team.showAll()}</Button>}
        >
          {team.noMatchText()}
        </Empty>
      ) : (
        <>
          <p className="soft small" role="status">
            {q === undefined ? team.count(rows.total) : team.found(rows.total, q)}
          </p>
          <MemberList rows={rows} me={me} onAsk={setAsked} />
          {rows.total === 1 && q === undefined ? (
            <Empty
              title={team.emptyTitle()}
              api={
                <Curl
                  method="POST"
                  path="/v1/members/invite"
                  body={{ email: 'ada@example.com', role: 'developer' }}
                />
              }
            >
              {team.empty()}
            </Empty>
          ) : null}
        </>
      )}
      <Optional onClose={() => setInviting(false)}>
        {isInviting ? <InviteDialog limit={limit} onClose={() => setInviting(false)} /> : null}
      </Optional>
      <Optional onClose={() => setAsked(null)}>
        {asked === null ? null : <MemberDialogs {...asked} onClose={() => setAsked(null)} />}
      </Optional>
    </div>
  );
}
