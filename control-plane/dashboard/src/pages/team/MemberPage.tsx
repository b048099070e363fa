import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Navigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useNamedProject } from '../../frame/project';
import { MayNot } from '../../parts/MayNot';
import { roleName } from '../../parts/messages';
import { useMe } from '../../session/me';
import { Button, buttonClass } from '../../ui/Button';
import { Chip } from '../../ui/Chip';
import { Loading, Skeleton } from '../../ui/Feedback';
import { Optional } from '../../ui/Optional';
import { PageLoading } from '../../ui/PageLoading';
import { useNow } from '../../ui/useNow';
import { usePageTitle } from '../../ui/usePageTitle';
import { Value } from '../../ui/Value';
import { MemberEnvironments } from './matrix/MemberEnvironments';
import { Identities } from './members/Identities';
import { MemberDialogs } from './members/MemberDialogs';
import { team } from './messages';
import { memberQuery, type TeamMember } from './queries';
import { RightsCard } from './RightsCard';
import { changeBarrier, isSelf, mayManage, removalBarrier } from './rules';
import { accountsQuery } from './serviceAccounts/queries';

const route = getRouteApi('/framed/team/$member');

/** One member: what they may do, where, and what can be done about it. */
export function MemberPage() {
  const { member: id } = route.useParams();
  const project = useNamedProject(route.useSearch().project);
  const found = useQuery(memberQuery(id, project?.id));
  usePageTitle(found.data?.name ?? team.title());
  if (found.data === undefined) {
    return <PageLoading error={found.error} height="60dvh" />;
  }
  if (found.data === null || found.data.member_id !== id) return <Absent id={id} />;
  return <Member key={id} member={found.data} project={project} />;
}

/** Service accounts are members with a page of their own. */
function Absent({ id }: { id: string }) {
  usePageTitle(team.absentTitle());
  const accounts = useQuery({ ...accountsQuery, enabled: mayManage(useMe()) });
  if (accounts.isLoading) {
    return (
      <Loading>
        <Skeleton height="60dvh" />
      </Loading>
    );
  }
  if (accounts.data?.items.some(account => account.id === id)) {
    return <Navigate to="/team" search={{ tab: 'service-accounts', account: id }} replace />;
  }
  return (
    <div className="stack">
      <h1>{team.absentTitle()}</h1>
      <p>{team.absent()}</p>
      <div>
        <Link to="/team" className={buttonClass()}>
          {team.back()}
        </Link>
      </div>
    </div>
  );
}

type Asked = 'role' | 'sessions' | 'remove' | null;

interface MemberProps {
  member: TeamMember;
  project: { id: string; slug: string; name: string } | undefined;
}

function Member({ member, project }: MemberProps) {
  const me = useMe();
  const navigate = route.useNavigate();
  const [asked, setAsked] = useState<Asked>(null);
  const barrier = changeBarrier(me, member);
  return (
    <div className="page">
      <div className="stack close">
        <Link to="/team" className="back">
          {team.back()}
        </Link>
        <div className="row">
          <h1>
            <Value>{member.name}</Value>
          </h1>
          {isSelf(me, member) ? <Chip>{team.you()}</Chip> : null}
          {member.invited ? <Chip tone="warn">{team.pending()}</Chip> : null}
        </div>
      </div>
      <MayNot permit="members.manage" />
      <About member={member} />
      <RightsCard
        member={member}
        barrier={barrier === 'owner' ? team.barrier('owner') : null}
        mayChange={barrier === null}
        onChange={() => setAsked('role')}
      />
      {project === undefined ? null : (
        <MemberEnvironments
          member={member}
          project={project}
          onProject={slug => void navigate({ search: { project: slug }, replace: true })}
        />
      )}
      {mayManage(me) ? <Sessions member={member} onEnd={() => setAsked('sessions')} /> : null}
      {mayManage(me) ? <Identities member={member} isFixed={barrier !== null} /> : null}
      {me.permissions.includes('audit.read') ? <Trail member={member} /> : null}
      {mayManage(me) ? <Removal member={member} onRemove={() => setAsked('remove')} /> : null}
      <Optional onClose={() => setAsked(null)}>
        {asked === null ? null : (
          <MemberDialogs
            kind={asked}
            member={member}
            onClose={() => setAsked(null)}
            onRemoved={() => void navigate({ to: '/team' })}
          />
        )}
      </Optional>
    </div>
  );
}

function About({ member }: { member: TeamMember }) {
  const me = useMe();
  const now = useNow(60_000);
  const isShown = mayManage(me) || isSelf(me, member);
  return (
    <section className="card" aria-labelledby="about">
      <h2 id="about">{team.about()}</h2>
      <dl className="facts">
        {member.email === null ? null : (
          <>
            <dt>{team.email()}</dt>
            <dd>{member.email}</dd>
          </>
        )}
        <dt>{team.role()}</dt>
        <dd>{roleName(member.role)}</dd>
        <dt>{team.joined()}</dt>
        <dd>{team.addedOn(member.joined_at)}</dd>
        {isShown ? (
          <>
            <dt>{team.lastSignIn()}</dt>
            <dd>
              {member.last_login_at === null ? (
                team.notSignedIn()
              ) : (
                <time dateTime={member.last_login_at} title={team.at(member.last_login_at)}>
                  {team.ago(member.last_login_at, now)}
                </time>
              )}
            </dd>
            <dt>{team.mfa()}</dt>
            <dd>
              {member.mfa_enabled === null ? team.notSignedIn() : member.mfa_enabled ? team.on() : team.off()}
            </dd>
          </>
        ) : null}
      </dl>
    </section>
  );
}

function Sessions({ member, onEnd }: { member: TeamMember; onEnd: () => void }) {
  const me = useMe();
  if (member.invited) return null;
  const barrier = removalBarrier(me, member);
  return (
    <section className="card" aria-labelledby="sessions">
      <h2 id="sessions">{team.sessions()}</h2>
      <p className="soft">{barrier === 'self' ? team.ownSessions() : team.sessionsText()}</p>
      {barrier === 'owner' ? <p>{team.barrier('owner')}</p> : null}
      <div>
        {barrier === 'self' ? (
          <Link to="/settings/security" className={buttonClass()}>
            {team.toSecurity()}
          </Link>
        ) : (
          <Button isDisabled={barrier !== null} onPress={onEnd}>
            {team.endSessions()}
          </Button>
        )}
      </div>
    </section>
  );
}

function Trail({ member }: { member: TeamMember }) {
  return (
    <section className="card" aria-labelledby="trail">
      <h2 id="trail">{team.trail()}</h2>
      <p className="soft">{team.trailText()}</p>
      <div className="row">
        {member.user_id === null ? null : (
          <Link to="/audit" search={{ actor_id: member.user_id }} className={buttonClass()}>
            {team.theirTrail()}
          </Link>
        )}
        <Link to="/audit" search={{ resource_id: member.member_id }} className={buttonClass()}>
          {team.trailAbout()}
        </Link>
      </div>
    </section>
  );
}

function Removal({ member, onRemove }: { member: TeamMember; onRemove: () => void }) {
  const me = useMe();
  const barrier = removalBarrier(me, member);
  return (
    <section className="card" aria-labelledby="removal">
      <h2 id="removal">{team.removal()}</h2>
      {barrier === null ? (
        <p className="soft">
          {member.invited ? team.removeInvitation(member.name) : team.removeText(member.name)}
        </p>
      ) : (
        <p>{barrier === 'self' ? team.removeSelf() : team.barrier(barrier)}</p>
      )}
      {barrier === 'self' && member.role === 'owner' ? <p>{team.removeSelfOwner()}</p> : null}
      {barrier === null ? (
        <div>
          <Button look="danger" onPress={onRemove}>
            {team.remove()}
          </Button>
        </div>
      ) : null}
    </section>
  );
}
