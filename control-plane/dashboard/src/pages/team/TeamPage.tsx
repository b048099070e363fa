import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { LeaveWarning } from '../../parts/LeaveWarning';
import { useMe } from '../../session/me';
import { Loading, Skeleton } from '../../ui/Feedback';
import { Optional } from '../../ui/Optional';
import { part } from '../../ui/part';
import { RefusalPage } from '../../ui/RefusalPage';
import { Tabs } from '../../ui/Tabs';
import { usePageTitle } from '../../ui/usePageTitle';
import { type Draft, NO_DRAFT } from './matrix/matrix';
import { matrix } from './matrix/messages';
import { MembersTab } from './members/MembersTab';
import { team } from './messages';
import { mayManage } from './rules';

const MatrixTab = part(() => import('./matrix/MatrixTab'));
const RolesTab = part(() => import('./roles/RolesTab'));
const ServiceAccountsTab = part(() => import('./serviceAccounts/ServiceAccountsTab'));

const route = getRouteApi('/framed/team');

/** The members, what they may do in environments, the custom roles, and the service accounts. */
export function TeamPage() {
  usePageTitle(team.title());
  const me = useMe();
  const { permissions } = me;
  const { tab = 'members' } = route.useSearch();
  const navigate = route.useNavigate();
  // Outside of the tab, so that looking at another one loses nothing.
  const [draft, setDraft] = useState<Draft>(NO_DRAFT);
  if (!permissions.includes('members.read')) {
    return <RefusalPage refusal={{ kind: 'forbidden', message: 'insufficient permissions' }} />;
  }
  const tabs = [
    { id: 'members', label: team.members(), content: <MembersTab /> },
    {
      id: 'environments',
      label: team.environments(),
      content: <Later of={<MatrixTab draft={draft} onDraft={setDraft} />} />,
    },
    ...(permissions.includes('roles.manage')
      ? [{ id: 'roles', label: team.roles(), content: <Later of={<RolesTab />} /> }]
      : []),
    ...(mayManage(me)
      ? [
          {
            id: 'service-accounts',
            label: team.serviceAccounts(),
            content: <Later of={<ServiceAccountsTab />} />,
          },
        ]
      : []),
  ];
  const isThere = tabs.some(({ id }) => id === tab);
  return (
    <div className="page dense">
      <div className="stack close">
        <h1>{team.title()}</h1>
        <p className="soft">{team.lead()}</p>
      </div>
      <Tabs
        label={team.tabs()}
        tabs={tabs}
        value={isThere ? tab : 'members'}
        onChange={id => {
          void navigate({ search: id === 'members' ? {} : { tab: id } } as never);
        }}
      />
      <LeaveWarning names={draft.size === 0 ? [] : [matrix.unsaved(draft.size)]} />
    </div>
  );
}

function Later({ of }: { of: ReactNode }) {
  return (
    <Optional
      fallback={
        <Loading>
          <Skeleton height="20rem" />
        </Loading>
      }
    >
      {of}
    </Optional>
  );
}
