import type { Organization, Program } from './organization';
import { until } from './until';

interface Known {
  edges: { asked: number; answered: number };
}

/** The path of a question about an environment. */
export function whatIf(organization: Organization, slug: string): string {
  return `${environment(organization, slug)}/what-if`;
}

function environment(organization: Organization, slug: string): string {
  return `/v1/projects/${organization.project.id}/environments/${organization.environment(slug).id}`;
}

/** Switches sampling on, and waits until every edge keeps samples. There has to be a flag `checkout`, which is off. */
export async function sample(
  organization: Organization,
  slug: string,
  attributes: readonly string[] = ['plan'],
): Promise<void> {
  await organization.owner.api.put(`${environment(organization, slug)}/sampling`, {
    enabled: true,
    attributes,
  });
  await isSampled(organization, slug);
}

export async function isSampled(organization: Organization, slug: string): Promise<void> {
  const changes = {
    flags: [{ key: 'checkout', states: { [slug]: { enabled: true, default_value: true } } }],
  };
  await until('samples at every edge', async () => {
    const { edges } = await organization.owner.api.post<Known>(whatIf(organization, slug), { changes });
    return edges.answered === edges.asked ? true : undefined;
  });
}

/** Asks the edge for `checkout`, as so many users of each plan. */
export async function evaluate(program: Program, plans: Record<string, number>): Promise<void> {
  for (const [plan, users] of Object.entries(plans)) {
    for (let user = 0; user < users; user += 1) {
      await program.ask('checkout', { key: `${plan}-${user}`, attributes: { plan } });
    }
  }
}
