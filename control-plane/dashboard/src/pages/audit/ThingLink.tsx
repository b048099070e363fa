import { Link } from '@tanstack/react-router';
import { useMe } from '../../session/me';
import { Value } from '../../ui/Value';
import { useEnvironment } from './EnvironmentName';
import type { Entry } from './queries';

/** The name of what an entry is about, as a link to it where it has a page. A deleted one's page says so. */
export function ThingLink({ entry }: { entry: Entry }) {
  const project = useMe().projects.find(({ id }) => id === entry.project_id)?.slug;
  const env = useEnvironment(entry)?.slug;
  const { resource_type: type, resource_id: id, resource_name: name } = entry;
  // A sign-in is about the person who is named before.
  if (name === null || id === null || type === 'auth' || type === 'mfa') return null;
  const said = <Value>{name}</Value>;
  if (type === 'approval') {
    return (
      <Link to="/approvals/$id" params={{ id }}>
        {said}
      </Link>
    );
  }
  if (type === 'webhook' && !entry.action.endsWith('.deleted')) {
    return (
      <Link to="/webhooks/$id" params={{ id }}>
        {said}
      </Link>
    );
  }
  const isGone = entry.action === 'member.removed' || entry.action === 'service_account.deleted';
  if (type === 'member' && !isGone) {
    return (
      <Link to="/team/$member" params={{ member: id }}>
        {said}
      </Link>
    );
  }
  if (project === undefined) return said;
  switch (type) {
    case 'flag':
      return (
        <Link
          to="/p/$project/flags/$key"
          params={{ project, key: name }}
          search={env === undefined ? {} : { env }}
        >
          {said}
        </Link>
      );
    case 'change_set':
      if (entry.action === 'change_set.deleted') return said;
      return (
        <Link to="/p/$project/change-sets/$id" params={{ project, id }}>
          {said}
        </Link>
      );
    case 'segment':
      return (
        <Link to="/p/$project/segments/$key" params={{ project, key: name }}>
          {said}
        </Link>
      );
    case 'environment':
      return (
        <Link to="/p/$project/environments" params={{ project }}>
          {said}
        </Link>
      );
    case 'project':
      return (
        <Link to="/p/$project/flags" params={{ project }}>
          {said}
        </Link>
      );
    default:
      return said;
  }
}
