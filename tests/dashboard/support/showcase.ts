import { backdate } from './backdate';
import { Organization, type Person } from './organization';
import { CREDENTIAL, launchDarkly } from './source';
import { until } from './until';

/** An organization that has something of everything; tests that only look share it. */
export interface Showcase {
  organization: Organization;
  viewer: Person;
  /** The id of a webhook. */
  webhook: string;
  /** The id of a request for approval. */
  approval: string;
  /** The id of an import. */
  migration: string;
}

export async function furnish(): Promise<Showcase> {
  const organization = await (await Organization.register()).proven();
  const { owner, project } = organization;
  await owner.api.post(`/v1/projects/${project.id}/segments`, {
    key: 'beta-testers',
    name: 'Beta testers',
    description: 'Those who asked for it.',
    rules: [
      { attribute: 'plan', operator: 'in', values: ['beta', 'insider'] },
      { attribute: 'country', operator: 'notIn', values: ['US'] },
    ],
  });
  await organization.flag('checkout', {
    name: 'New checkout',
    description: 'The checkout in one step.',
    tags: ['shop', 'team-a', 'web', 'payments'],
  });
  await organization.set('checkout', 'production', { enabled: true });
  await organization.set('checkout', 'production', {
    percentage_rollout: 2500,
    scheduled_disable_at: new Date(Date.now() + 86_400_000).toISOString(),
    rules: [
      {
        priority: 0,
        description: 'Testers',
        conditions: [{ attribute: 'country', operator: 'in', values: ['DE', 'FR'] }],
        segment_keys: ['beta-testers'],
        percentage: 10_000,
        value: true,
        match_type: 'all',
      },
      {
        priority: 1,
        description: '',
        conditions: [{ attribute: 'email', operator: 'regex', values: ['@acme\\.com$'] }],
        segment_keys: [],
        percentage: 5000,
        value: false,
        match_type: 'any',
      },
    ],
  });
  await organization.flag('button-colour', { flag_type: 'ab', default_value: { colour: 'grey' } });
  await organization.set('button-colour', 'production', {
    enabled: true,
    variants: [
      { key: 'blue', value: { colour: 'blue' }, weight: 5000 },
      { key: 'green', value: { colour: 'green' }, weight: 5000 },
    ],
  });
  await organization.flag('express', {
    name: 'Express',
    prerequisites: ['checkout'],
    mutual_exclusion_group: 'delivery',
  });
  await organization.flag('spring-sale', { name: 'Spring sale' });
  await organization.set('spring-sale', 'production', { enabled: true });
  await backdate(organization, 'spring-sale', 60);
  const program = await organization.program('production');
  await program.sees('checkout', false);
  for (let user = 0; user < 20; user += 1) await program.ask('button-colour', { key: `user-${user}` });
  await program.ask('old-banner');
  await program.track('button-colour', 'blue');
  const webhook = await owner.api.post<{ id: string }>('/v1/webhooks', {
    name: 'Deployments channel',
    url: 'http://127.0.0.1:9/services/T0123/B0456',
    secret: 'choose-a-long-one',
    events: ['flag.killed', 'approval.*'],
  });
  await owner.api.post(`/v1/webhooks/${webhook.id}/test`);
  const viewer = await organization.invite('viewer');
  const approval = await organization.ask('express', 'staging', { enabled: true }, { note: 'For the demo.' });
  return { organization, viewer, webhook: webhook.id, approval, migration: await imported(organization) };
}

/** An import into a project of its own; its id. */
async function imported({ owner }: Organization): Promise<string> {
  const source = await launchDarkly();
  const { id } = await owner.api.post<{ id: string }>('/v1/projects', { name: 'Imported' });
  const { migration_id } = await owner.api.post<{ migration_id: string }>('/v1/migration/execute', {
    provider: 'provider_a',
    api_key: CREDENTIAL,
    base_url: source.url,
    project_key: 'shop',
    target_project_id: id,
  });
  await until('end of the import', async () => {
    const { status } = await owner.api.get<{ status: string }>(`/v1/migration/status/${migration_id}`);
    return status === 'in_progress' ? undefined : status;
  });
  await source.stop();
  return migration_id;
}
