import { choose } from './support/forms';
import { expect, test } from './support/test';

test('two environments are compared in sentences, and flags are promoted', async ({
  owner,
  organization,
}) => {
  await organization.flag('same');
  await organization.flag('a-rule', { name: 'A rule' });
  await organization.flag('b-test', { name: 'B test', flag_type: 'ab', default_value: {} });
  await organization.flag('c-later', { name: 'C later' });
  await organization.set('a-rule', 'dev', { enabled: true, percentage_rollout: 2500 });
  await organization.set('a-rule', 'production', { scheduled_disable_at: '2030-12-24T08:00:00Z' });
  const variants = [{ key: 'blue', value: { colour: 'blue' }, weight: 10_000 }];
  await organization.set('b-test', 'dev', { enabled: true, variants });
  await organization.set('c-later', 'production', { enabled: true });

  await owner.goto(`/p/${organization.project.slug}/flags`);
  await owner.getByRole('link', { name: 'Compare environments' }).click();
  await expect(owner.getByRole('heading', { level: 1 })).toHaveText('Compare environments');
  const flags = owner.getByRole('list', { name: 'Flags that differ' }).getByRole('listitem');
  await expect(owner.getByText('3 flags differ')).toBeVisible();
  const rule = flags.filter({ has: owner.getByRole('link', { name: 'A rule' }) });
  await expect(rule.first()).toContainText('In Development:On · 25%');
  await expect(rule.first()).toContainText('In Production:Off');
  await expect(rule.first()).toContainText('Promote leaves these as they are:');
  const later = flags.filter({ has: owner.getByRole('link', { name: 'C later' }) }).first();
  await expect(later).toContainText('Nothing is set in Development, so there is nothing to promote.');

  await owner.getByRole('checkbox', { name: 'Select all shown flags' }).check();
  await owner.getByRole('button', { name: 'Promote 2 flags…' }).click();
  const dialog = owner.getByRole('dialog', { name: 'Promote 2 flags from Development to Production' });
  await dialog.getByRole('switch', { name: 'Copy variants too' }).click();
  await dialog.getByRole('button', { name: 'Promote to Production' }).click();
  await expect(owner.getByText('Promoted 2 flags to Production.')).toBeVisible();
  await expect(owner.getByText('2 flags differ')).toBeVisible();
  const { id } = organization.environment('production');
  const state = (key: string) =>
    organization.owner.api.get(`/v1/projects/${organization.project.id}/flags/${key}/environments/${id}`);
  expect(await state('b-test')).toMatchObject({ enabled: true, variants });
  expect(await state('a-rule')).toMatchObject({
    percentage_rollout: 2500,
    scheduled_disable_at: '2030-12-24T08:00:00Z',
  });
  await expect(rule.first()).toContainText('Only schedules differ.');

  await owner.getByRole('button', { name: 'Swap the two environments' }).click();
  await expect(owner).toHaveURL(/from=production&to=dev$/);
  await expect(later.getByRole('button', { name: 'Promote…' })).toBeVisible();
  await choose(owner, /^Development To|To Development|To/, 'Staging');
  await expect(owner).toHaveURL(/to=staging/);
});

test('promotions are undone, but for flags that changed since', async ({ owner, organization, watch }) => {
  watch.expect(412);
  for (const key of ['a-stored', 'b-new', 'c-changed']) {
    await organization.flag(key);
    await organization.set(key, 'dev', { enabled: true, percentage_rollout: 2500 });
  }
  await organization.set('a-stored', 'production', { percentage_rollout: 5000 });
  await owner.goto(`/p/${organization.project.slug}/compare?from=dev&to=production`);
  await owner.getByRole('checkbox', { name: 'Select all shown flags' }).check();
  await owner.getByRole('button', { name: 'Promote 3 flags…' }).click();
  await owner.getByRole('dialog').getByRole('button', { name: 'Promote to Production' }).click();
  await expect(owner.getByText('Promoted 3 flags to Production.')).toBeVisible();
  await organization.set('c-changed', 'production', { percentage_rollout: 1000 });
  await owner.getByRole('button', { name: 'Undo' }).click();
  await expect(owner.getByText('Restored the earlier state of 2 flags in Production.')).toBeVisible();
  await expect(
    owner.getByText('since someone changed it in Production after the promotion: c-changed.'),
  ).toBeVisible();
  await expect(owner.getByText('3 flags differ')).toBeVisible();
  const { id } = organization.environment('production');
  const state = (key: string) =>
    organization.owner.api.get(`/v1/projects/${organization.project.id}/flags/${key}/environments/${id}`);
  expect(await state('a-stored')).toMatchObject({ enabled: false, percentage_rollout: 5000 });
  expect(await state('b-new')).toMatchObject({ enabled: false, percentage_rollout: null });
  expect(await state('c-changed')).toMatchObject({ enabled: true, percentage_rollout: 1000 });
});

test('environments with the same settings have no differences', async ({ owner, organization }) => {
  await organization.flag('same');
  await owner.goto(`/p/${organization.project.slug}/compare?from=dev&to=staging`);
  await expect(owner.getByRole('heading', { name: 'No differences' })).toBeVisible();
  await owner.goto(`/p/${organization.project.slug}/compare?from=dev&to=nowhere`);
  await expect(owner.getByRole('heading', { name: 'There is no environment “nowhere”' })).toBeVisible();
});

test('a viewer compares, and a protected environment is not promoted to', async ({
  owner,
  organization,
  browserOf,
}) => {
  await organization.flag('a-rule', { name: 'A rule' });
  await organization.set('a-rule', 'dev', { enabled: true });
  const viewer = await (await browserOf(await organization.invite('viewer'))).newPage();
  const address = `/p/${organization.project.slug}/compare?from=dev&to=production`;
  await viewer.goto(address);
  await expect(viewer.getByText("Your role can't promote to Production.", { exact: false })).toBeVisible();
  await expect(viewer.getByRole('button', { name: 'Promote…' })).toHaveCount(0);

  const { id } = organization.environment('production');
  await organization.owner.api.put(`/v1/projects/${organization.project.id}/environments/${id}`, {
    protected: true,
  });
  await owner.goto(address);
  await expect(owner.getByText(/^Production is protected/)).toBeVisible();
  await expect(owner.getByRole('button', { name: 'Promote…' })).toHaveCount(0);
});
