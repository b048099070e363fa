import { Link } from '@tanstack/react-router';
import { useMe } from '../session/me';
import { shared } from './messages';

interface AuditLinkProps {
  /** The id of the thing whose entries are shown. */
  resourceId?: string;
  /** The id of the user whose entries are shown. */
  actorId?: string;
  envId?: string;
}

/** To the audit log of one thing or one person, for those who may read it. */
export function AuditLink({ resourceId, actorId, envId }: AuditLinkProps) {
  if (!useMe().permissions.includes('audit.read')) return null;
  const search = {
    ...(resourceId === undefined ? {} : { resource_id: resourceId }),
    ...(actorId === undefined ? {} : { actor_id: actorId }),
    ...(envId === undefined ? {} : { env_id: envId }),
  };
  return (
    <Link to="/audit" search={search}>
      {actorId === undefined ? shared.auditOfThing() : shared.auditOfPerson()}
    </Link>
  );
}
