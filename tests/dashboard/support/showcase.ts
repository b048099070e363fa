import { Organization, type Person } from './organization';

/** An organization that has something of everything; tests that only look share it. */
export interface Showcase {
  organization: Organization;
  viewer: Person;
}

export async function furnish(): Promise<Showcase> {
  const organization = await Organization.register();
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
  await organization.program('production');
  return { organization, viewer: await organization.invite('viewer') };
}
