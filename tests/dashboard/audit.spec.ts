import { readFile } from 'node:fs/promises';
import { expect, test } from './support/test';

test('changes are told in sentences, found by a word, and lead to the thing as it was', async ({
  owner,
  organization,
}) => {
  await organization.flag('checkout');
  await organization.set('checkout', 'production', { enabled: true, percentage_rollout: 2500 });
  await owner.goto('/audit');
  const changed = owner.getByRole('article', { name: 'Changed flag checkout' });
  await expect(changed).toContainText('Ada Lovelace changed flag checkout');
  await expect(changed).toContainText('Switched on');
  await expect(changed).toContainText('Rollout: not set → 25%');

  const search = owner.getByRole('searchbox', { name: 'Search by person, action, key or name' });
  await search.fill('checkout');
  await expect(owner).toHaveURL(/q=checkout/);
  await expect(owner.getByRole('article')).toHaveCount(2);
  await changed.getByRole('button', { name: 'Details: Changed flag checkout' }).click();
  await changed.getByRole('link', { name: 'Open this version' }).click();
  await expect(owner).toHaveURL(/\/flags\/checkout\?.*tab=history/);
  await expect(owner).toHaveURL(/version=\d+/);
});

test('filters are in the address, and what matches nothing says which to remove', async ({
  owner,
  organization,
}) => {
  await organization.flag('checkout');
  await owner.goto('/audit?resource_type=flag');
  await expect(owner.getByRole('article')).toHaveCount(1);
  await expect(owner.getByRole('button', { name: 'Action' })).toContainText('Everything about flag');
  await owner.getByRole('button', { name: 'Time' }).click();
  await owner.getByRole('option', { name: 'Last hour' }).click();
  await expect(owner).toHaveURL(/from=/);
  await expect(owner.getByRole('article')).toHaveCount(1);

  await owner.goto('/audit?q=nothing&resource_type=flag');
  await expect(owner.getByRole('heading', { name: 'No entry matches' })).toBeVisible();
  await owner.getByRole('button', { name: 'Remove Search' }).click();
  await expect(owner.getByRole('article')).toHaveCount(1);
});

test('with one project its environments are offered right away', async ({ owner, organization }) => {
  await organization.flag('checkout');
  await organization.set('checkout', 'dev', { enabled: true });
  await organization.set('checkout', 'production', { enabled: true });
  await owner.goto('/audit');
  await owner.getByRole('button', { name: /Environment/ }).click();
  await owner.getByRole('option', { name: 'Production' }).click();
  const changed = owner.getByRole('article', { name: 'Changed flag checkout' });
  await expect(changed).toHaveCount(1);
  await expect(changed).toContainText('in Production');
});

test('new entries appear by themselves, and wait while it is paused', async ({ owner, organization }) => {
  await organization.flag('alpha');
  await owner.goto('/audit?resource_type=flag');
  await expect(owner.getByRole('article')).toHaveCount(1);
  await organization.flag('beta');
  await expect(owner.getByRole('article').first()).toContainText('beta');
  await owner.getByRole('switch', { name: 'Follow live' }).click();
  await organization.flag('gamma');
  const show = owner.getByRole('button', { name: 'Show 1 new entry' });
  await expect(show).toBeVisible();
  await expect(owner.getByRole('article')).toHaveCount(2);
  await show.click();
  await expect(owner.getByRole('article').first()).toContainText('gamma');
});

test('the trail of a person, of a thing, and of one that is deleted', async ({ owner, organization }) => {
  await organization.flag('checkout');
  await organization.flag('other');
  await organization.owner.api.delete(`/v1/projects/${organization.project.id}/flags/checkout`);
  await owner.goto('/audit?q=checkout');
  await expect(owner.getByRole('article')).toHaveCount(2);
  const deleted = owner.getByRole('article', { name: 'Deleted flag checkout' });
  await deleted.getByRole('button', { name: /^Details/ }).click();
  await expect(deleted.getByRole('region', { name: 'Before' }).first()).toContainText('"key": "checkout"');
  await deleted.getByRole('link', { name: 'All entries about this' }).click();
  await expect(owner).toHaveURL(/resource_id=/);
  await expect(owner.getByRole('article')).toHaveCount(2);
  await owner
    .getByRole('article')
    .first()
    .getByRole('button', { name: /^Details/ })
    .click();
  await owner.getByRole('link', { name: 'All entries by Ada Lovelace' }).first().click();
  await expect(owner).toHaveURL(/actor_id=/);
  await expect(owner.getByRole('article', { name: 'Created flag other' })).toBeVisible();
});

test('what the filters find is exported as CSV', async ({ owner, organization }) => {
  await organization.flag('checkout');
  await owner.goto('/audit?resource_type=flag');
  await expect(owner.getByRole('article')).toHaveCount(1);
  const downloading = owner.waitForEvent('download');
  await owner.getByRole('button', { name: 'Export CSV' }).click();
  const file = await downloading;
  expect(file.suggestedFilename()).toMatch(/^audit-\d{4}-\d\d-\d\d\.csv$/);
  const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain('id,created_at,actor_type');
  expect(lines[1]).toContain(',flag.created,flag,');
  await expect(owner.getByText('Exported.')).toBeVisible();
});
