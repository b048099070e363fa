import { queryOptions } from '@tanstack/react-query';
import { api, demand } from '../api/client';
import type { Change } from '../api/events';

/** A resource that a page shows and that may be edited there. */
export interface View {
  resourceType: string;
  resourceId: string;
  /** One environment of it; changes that belong to none concern it as well. */
  envId?: string;
}

/** Whether a change is by another person, and concerns the resource that is shown. */
export function concerns(change: Change, view: View, userId: string): boolean {
  if (change.actor_id === userId) return false;
  if (change.resource_type !== view.resourceType || change.resource_id !== view.resourceId) return false;
  return view.envId === undefined || change.env_id === null || change.env_id === view.envId;
}

/** The name of a user, a key or a token, from the audit trail. */
export function actorQuery(actorId: string | null) {
  return queryOptions({
    queryKey: ['actor', actorId],
    queryFn: async ({ signal }) => {
      if (actorId === null) return null;
      const query = { actor_id: actorId, limit: 1 };
      const { data } = await demand(api.GET('/v1/audit', { params: { query }, signal }));
      return data[0]?.actor_name ?? null;
    },
    staleTime: 60_000,
  });
}
