import type { Page } from '@playwright/test';
import { choose } from './support/forms';
import type { Organization } from './support/organization';
import { expect, test } from './support/test';

async function open(page: Page, organization: Organization): Promise<void> {
  await page.goto(`/p/${organization.project.slug}/flags?sort=key`);
  await expect(page.getByRole('switch').first()).toBeVisible();
}

function bar(page: Page) {
  return page.getByRole('region', { name: 'Selected flags' });
}

test('selected flags are switched together, and switched back', async ({ owner, organization }) => {
  for (const key of ['a-one', 'b-two', 'c-three', 'd-four']) await organization.flag(key);
  await organization.set('b-two', 'staging', { enabled: true });
  await open(owner, organization);
  await owner.getByRole('checkbox', { name: 'Select a-one' }).check();
  await owner.getByRole('checkbox', { name: 'Select c-three' }).click({ modifiers: ['Shift'] });
  await expect(bar(owner).getByRole('status')).toHaveText('3 selected');

  await bar(owner).getByRole('button', { name: 'Turn on…' }).click();
  const dialog = owner.getByRole('dialog', { name: 'Turn on 3 flags' });
  await choose(owner, /Environment/, 'Staging');
  await expect(dialog).toContainText('1 flag will not change');
  await dialog.getByRole('button', { name: 'Turn on 3 flags' }).click();
  await expect(owner.getByText('Turned on 3 flags.')).toBeVisible();
  await expect(bar(owner)).toHaveCount(0);
  for (const key of ['a-one', 'b-two', 'c-three']) {
    await expect(owner.getByRole('switch', { name: `${key} in Staging` })).toBeChecked();
  }
  await expect(owner.getByRole('switch', { name: 'd-four in Staging' })).not.toBeChecked();

  await owner.getByRole('button', { name: 'Undo' }).click();
  await expect(owner.getByText('Undid the change of 2 flags.')).toBeVisible();
  await expect(owner.getByRole('switch', { name: 'a-one in Staging' })).not.toBeChecked();
  await expect(owner.getByRole('switch', { name: 'b-two in Staging' })).toBeChecked();
});

test('each flag that is refused is named with the reason', async ({ owner, organization }) => {
  await organization.flag('a-set');
  await organization.flag('b-never');
  await organization.set('a-set', 'dev', { enabled: true });
  await open(owner, organization);
  await owner.getByRole('checkbox', { name: 'Select all flags' }).check();
  await bar(owner).getByRole('button', { name: 'Promote…' }).click();
  const dialog = owner.getByRole('dialog', { name: 'Promote 2 flags' });
  await dialog.getByRole('button', { name: 'Promote 2 flags' }).click();
  await expect(dialog.getByText('1 flag did not change')).toBeVisible();
  const row = dialog.getByRole('row').filter({ hasText: 'b-never' });
  await expect(row).toContainText('The flag has no state in the source environment.');
  await expect(dialog.getByRole('button', { name: 'Undo the 1 that changed' })).toBeVisible();
  await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  await expect(owner.getByRole('switch', { name: 'a-set in Staging' })).toBeChecked();
});

test('a protected environment is not written, and says so before', async ({ owner, organization }) => {
  await organization.flag('a-one');
  const { id } = organization.environment('production');
  await organization.owner.api.put(`/v1/projects/${organization.project.id}/environments/${id}`, {
    protected: true,
  });
  await open(owner, organization);
  await owner.getByRole('checkbox', { name: 'Select a-one' }).check();
  await bar(owner).getByRole('button', { name: 'Turn on…' }).click();
  const dialog = owner.getByRole('dialog', { name: 'Turn on 1 flag' });
  await choose(owner, /Environment/, 'Production');
  await expect(dialog).toContainText('Production is protected');
  await expect(dialog.getByRole('button', { name: 'Turn on 1 flag' })).toBeDisabled();
});

test('selected flags are tagged and archived, and restored by Undo', async ({ owner, organization }) => {
  for (const key of ['a-one', 'b-two']) await organization.flag(key);
  await open(owner, organization);
  // By the keyboard alone.
  await owner.getByRole('switch', { name: 'a-one in Development' }).focus();
  await owner.keyboard.press('x');
  await owner.keyboard.press('j');
  await owner.keyboard.press('x');
  await expect(bar(owner).getByRole('status')).toHaveText('2 selected');
  await bar(owner).getByRole('button', { name: 'Add a tag…' }).click();
  await owner.getByRole('textbox', { name: 'Tag' }).fill('spring');
  await owner.getByRole('button', { name: 'Add a tag to 2 flags' }).click();
  await expect(owner.getByText('Tagged 2 flags.')).toBeVisible();
  await expect(owner.getByRole('rowheader').filter({ hasText: 'spring' })).toHaveCount(2);

  await owner.getByRole('checkbox', { name: 'Select b-two' }).check();
  await bar(owner).getByRole('button', { name: 'Archive…' }).click();
  await owner.getByRole('button', { name: 'Archive 1 flag' }).click();
  await expect(owner.getByText('Archived 1 flag.')).toBeVisible();
  await expect(owner.getByRole('rowheader')).toHaveCount(1);
  const said = owner.getByRole('alertdialog').filter({ hasText: 'Archived 1 flag.' });
  await said.getByRole('button', { name: 'Undo' }).click();
  await expect(owner.getByRole('rowheader')).toHaveCount(2);
});

test('a viewer selects nothing to change', async ({ organization, browserOf }) => {
  await organization.flag('a-one');
  const viewer = await (await browserOf(await organization.invite('viewer'))).newPage();
  await viewer.goto(`/p/${organization.project.slug}/flags`);
  await expect(viewer.getByRole('rowheader')).toHaveCount(1);
  await expect(viewer.getByRole('checkbox')).toHaveCount(0);
});
