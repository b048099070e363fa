import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { AccessTokens } from '../../../accessTokens/AccessTokens';
import { useNamedProject } from '../../../frame/project';
import { roleName } from '../../../parts/messages';
import { useMe } from '../../../session/me';
import { Button, buttonClass } from '../../../ui/Button';
import { Chip } from '../../../ui/Chip';
import { Optional } from '../../../ui/Optional';
import { useNow } from '../../../ui/useNow';
import { Value } from '../../../ui/Value';
import { MemberEnvironments } from '../matrix/MemberEnvironments';
import { RoleDialog } from '../members/RoleDialog';
import { team } from '../messages';
import { permissionsQuery } from '../queries';
import { changeBarrier } from '../rules';
import { DeleteAccount, RenameAccount } from './AccountDialogs';
import { serviceAccounts as words } from './messages';
import type { ServiceAccount } from './queries';

const route = getRouteApi('/framed/team');

interface AccountViewProps {
  account: ServiceAccount;
  onDeleted: () => void;
}

/** One service account: what it may do, and its tokens. */
export function AccountView({ account, onDeleted }: AccountViewProps) {
  const me = useMe();
  const now = useNow(60_000);
  const [asked, setAsked] = useState<'rename' | 'role' | 'delete' | null>(null);
  const close = () => setAsked(null);
  const barrier = changeBarrier(me, account);
  const { name, role, custom_role_id, created_at, user_id } = account;
  return (
    <div className="stack">
      <ToAll />
      <h2>
        <Value>{name}</Value>
      </h2>
      {barrier === null ? null : <p>{team.barrier(barrier)}</p>}
      <section className="card" aria-labelledby="about">
        <h2 id="about">{words.about()}</h2>
        <dl className="facts">
          <dt>{words.role()}</dt>
          <dd className="row">
            {roleName(role)}
            {custom_role_id === null ? null : <Chip>{words.customRole()}</Chip>}
          </dd>
          <dt>{words.created()}</dt>
          <dd>
            <time dateTime={created_at} title={words.at(created_at)}>
              {words.ago(created_at, now)}
            </time>
          </dd>
        </dl>
        <div className="row">
          <Button isDisabled={barrier !== null} onPress={() => setAsked('rename')}>
            {words.rename()}
          </Button>
          <Button isDisabled={barrier !== null} onPress={() => setAsked('role')}>
            {words.changeRole()}
          </Button>
          {me.permissions.includes('audit.read') ? (
            <Link to="/audit" search={{ actor_id: user_id }} className={buttonClass()}>
              {words.actions()}
            </Link>
          ) : null}
          <Button look="danger" isDisabled={barrier !== null} onPress={() => setAsked('delete')}>
            {words.delete()}
          </Button>
        </div>
      </section>
      <Environments account={account} />
      <AccessTokens holder={account.id} role={role} mayChange={barrier === null} />
      <Optional onClose={close}>
        {asked === 'rename' ? <RenameAccount account={account} onClose={close} /> : null}
        {asked === 'role' ? (
          <RoleDialog member={{ ...account, member_id: account.id }} onClose={close} />
        ) : null}
        {asked === 'delete' ? (
          <DeleteAccount account={account} onDeleted={onDeleted} onClose={close} />
        ) : null}
      </Optional>
    </div>
  );
}

/** What the account may do in the environments of a project, as of any member. */
function Environments({ account }: { account: ServiceAccount }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const project = useNamedProject(search.project);
  const permissions = useQuery(permissionsQuery(account.id));
  if (project === undefined || permissions.data === undefined) return null;
  return (
    <MemberEnvironments
      member={{ ...account, member_id: account.id, email: null, permissions: permissions.data }}
      project={project}
      onProject={slug => void navigate({ search: { ...search, project: slug }, replace: true } as never)}
    />
  );
}

export function NoAccount() {
  return (
    <div className="stack">
      <ToAll />
      <h2>{words.absentTitle()}</h2>
      <p>{words.absent()}</p>
    </div>
  );
}

function ToAll() {
  return (
    <Link to="/team" search={{ tab: 'service-accounts' }} className="back">
      {words.back()}
    </Link>
  );
}
