import type { components } from '../api/schema';

export type Found = components['schemas']['SearchResult'];

export interface Address {
  /** The route, as the router lists it. */
  route: string;
  path: string;
}

/** Where something that was found is shown; `null` for what has no page of its own. */
export function addressOf(
  found: Pick<Found, 'id' | 'type' | 'key' | 'project_id'>,
  projects: readonly { id: string; slug: string }[],
): Address | null {
  if (found.type === 'member') {
    return { route: '/team/$member', path: `/team/${encodeURIComponent(found.id)}` };
  }
  const slug = projects.find(({ id }) => id === found.project_id)?.slug;
  if (slug === undefined) return null;
  const inside = `/p/${encodeURIComponent(slug)}`;
  const key = encodeURIComponent(found.key);
  switch (found.type) {
    case 'project':
      return { route: '/p/$project/flags', path: `${inside}/flags` };
    case 'flag':
      return { route: '/p/$project/flags/$key', path: `${inside}/flags/${key}` };
    case 'segment':
      return { route: '/p/$project/segments/$key', path: `${inside}/segments/${key}` };
    case 'environment':
      return { route: '/p/$project/environments/$env/keys', path: `${inside}/environments/${key}/keys` };
    default:
      return null;
  }
}
