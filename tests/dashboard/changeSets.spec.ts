import type { Page } from '@playwright/test';
import { checkAccessibility } from './support/axe';
import type { Organization } from './support/organization';
import { expect, test } from './support/test';

const FLAGS = ['checkout', 'payment'];

/** Two flags that are off in an environment, as the edges know them. */
async function twoFlags(organization: Organization): Promise<void> {
  for (const key of FLAGS) await organization.flag(key);
}

/** Drafts both flags on in an environment by the API; the address of the change set. */
async function drafted(organization: Organization, slug: string): Promise<string> {
  const id = await organization.draft('Launch', FLAGS, slug);
  return `/p/${organization.project.slug}/change-sets/${id}`;
}

/** Drafts a flag as on in production, and opens the dialog that adds it to a change set. */
async function addToSet(page: Page, flag: string): Promise<void> {
  await page.goto(`/p/default/flags/${flag}?env=production`);
  await page.getByRole('switch', { name: 'Production', exact: true }).click();
  await page.getByRole('button', { name: 'Add to a change set' }).click();
}

const act = async (page: Page, name: string) => {
  await page.getByRole('button', { name, exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
};

test('two flags are drafted, reviewed by another, applied together and undone', async ({
  owner,
  organization,
  browserOf,
}) => {
  test.setTimeout(120_000);
  await twoFlags(organization);
  const env = organization.environment('production').id;
  await organization.owner.api.put(`/v1/projects/${organization.project.id}/environments/${env}`, {
    protected: true,
    required_approvals: 1,
  });
  const program = await organization.program('production');
  const developer = await organization.invite('developer');
  const page = await (await browserOf(developer)).newPage();

  await addToSet(page, 'checkout');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Launch');
  await dialog.getByRole('button', { name: 'Add to the change set' }).click();
  await expect(page.getByText('Added to Launch.')).toBeVisible();
  await expect(page.getByText('Unsaved changes')).toHaveCount(0);

  await addToSet(page, 'payment');
  await dialog.getByRole('button', { name: /^A new change set/ }).click();
  await page.getByRole('option', { name: 'Launch' }).click();
  await dialog.getByRole('button', { name: 'Add to the change set' }).click();
  await page.getByRole('link', { name: 'Open the change set' }).click();

  await expect(page.getByRole('heading', { name: 'Launch', level: 1 })).toBeVisible();
  for (const key of FLAGS) {
    const thing = page.getByRole('listitem').filter({ hasText: `Flag ${key} in production` });
    await expect(thing).toContainText('Switched on');
  }
  await expect(page.getByText('takes approval from 1 other member')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Apply now' })).toBeDisabled();
  await act(page, 'Request approval');
  await expect(page.getByText('You drafted, edited or requested this')).toBeVisible();

  await owner.goto('/p/default/change-sets?status=pending');
  await owner.getByRole('link', { name: 'Launch' }).click();
  const review = owner.getByRole('region', { name: 'Review', exact: true });
  await expect(review).toContainText('0 of 1 approval');
  await review.getByRole('textbox', { name: 'Note' }).fill('Looks good');
  await review.getByRole('button', { name: 'Approve' }).click();
  await expect(owner.getByText('Approved. It can be applied now.')).toBeVisible();

  await expect(page.getByText('Looks good')).toBeVisible();
  await act(page, 'Apply now');
  await expect(page.getByText('Max developer applied it on')).toBeVisible();
  for (const key of FLAGS) await program.sees(key, true);

  await act(owner, 'Undo');
  await expect(owner.getByRole('heading', { name: 'Undo Launch', level: 1 })).toBeVisible();
  await expect(owner.getByText('Switched off')).toHaveCount(2);
  await owner.getByRole('link', { name: 'The change set that this one undoes' }).click();
  await expect(owner.getByRole('heading', { name: 'Launch', level: 1 })).toBeVisible();

  await owner.goto('/audit');
  const entry = owner.getByRole('article', { name: 'Changed flag checkout' });
  await entry.getByRole('button').click();
  await entry.getByRole('link', { name: 'Open the change set' }).click();
  await expect(owner.getByRole('heading', { name: 'Launch', level: 1 })).toBeVisible();
});

test('what someone else changed is shown at its place, and overwritten only after it was seen', async ({
  owner,
  organization,
}) => {
  await twoFlags(organization);
  await organization.set('checkout', 'dev', { percentage_rollout: 1000 });
  const page = `/v1/projects/${organization.project.id}/change-sets`;
  const changes = { flags: [{ key: 'checkout', states: { dev: { percentage_rollout: 2500 } } }] };
  const { id } = await organization.owner.api.post<{ id: string }>(page, { name: 'Rollout', changes });
  await organization.set('checkout', 'dev', { percentage_rollout: 5000 });

  await owner.goto(`/p/default/change-sets/${id}`);
  const thing = owner.getByRole('listitem').filter({ hasText: 'Flag checkout in dev' });
  await expect(thing).toContainText('Changed by someone else since the draft');
  await expect(thing.getByRole('definition')).toHaveText(['1000', '2500', '5000']);
  await expect(owner.getByRole('button', { name: 'Request approval' })).toBeDisabled();
  const overwrite = owner.getByRole('button', { name: 'Apply and overwrite' });

  // It changes once more while the page is open.
  await organization.set('checkout', 'dev', { percentage_rollout: 7500 });
  await expect(owner.getByText('What it changes was changed while you were looking')).toBeVisible();
  await expect(overwrite).toBeDisabled();
  await owner.getByRole('button', { name: 'Show the current comparison' }).click();
  await expect(thing.getByRole('definition')).toHaveText(['1000', '2500', '7500']);
  await checkAccessibility(owner, 'change set, in conflict');
  await act(owner, 'Apply and overwrite');
  await expect(owner.getByText('Ada Lovelace applied it on')).toBeVisible();
});

test('a second reviewer approves nothing that has changed since the first approval', async ({
  owner,
  organization,
}) => {
  await organization.flag('checkout');
  const project = `/v1/projects/${organization.project.id}`;
  const env = organization.environment('production').id;
  await organization.owner.api.put(`${project}/environments/${env}`, {
    protected: true,
    required_approvals: 2,
  });
  const developer = await organization.invite('developer');
  const admin = await organization.invite('admin');
  const changes = { flags: [{ key: 'checkout', name: 'A', states: { production: { enabled: true } } }] };
  const { id } = await developer.api.post<{ id: string }>(`${project}/change-sets`, {
    name: 'Launch',
    changes,
  });
  await developer.api.post(`${project}/change-sets/${id}/request`);
  await admin.api.post(`${project}/change-sets/${id}/review`, { action: 'approve' });
  await organization.owner.api.put(`${project}/flags/checkout`, { name: 'B' });

  await owner.goto(`/p/default/change-sets/${id}`);
  const review = owner.getByRole('region', { name: 'Review', exact: true });
  await expect(review).toContainText('1 of 2 approvals');
  await expect(review).toContainText('Someone else changed 1 field after the first approval');
  await expect(review.getByRole('button', { name: 'Approve' })).toHaveText('Approve');
  await expect(review.getByRole('button', { name: 'Approve' })).toBeDisabled();
  await review.getByRole('button', { name: 'Reject' }).click();
  await expect(owner.getByText('Rejected. Nothing was changed.')).toBeVisible();
});

test('a draft takes the project as it is now as its starting point', async ({ owner, organization }) => {
  await twoFlags(organization);
  await organization.set('checkout', 'dev', { enabled: true });
  const address = await drafted(organization, 'dev');
  await organization.set('checkout', 'dev', { enabled: false });

  await owner.goto(address);
  const moved = owner.getByText('Changed by someone else since the draft', { exact: true });
  await expect(moved).toHaveCount(0);
  const path = `/v1/projects/${organization.project.id}/change-sets/${address.split('/').at(-1)}`;
  await organization.owner.api.put(path, {
    changes: { flags: [{ key: 'checkout', states: { dev: { percentage_rollout: 2500 } } }] },
  });
  await organization.set('checkout', 'dev', { percentage_rollout: 7500 });
  await owner.reload();
  await expect(moved).toBeVisible();
  await act(owner, 'Compare with the current state');
  await expect(moved).toHaveCount(0);
  await expect(owner.getByText(/Rollout: 75\s?% → 25\s?%/)).toBeVisible();
});

test('a change set is renamed, previewed, scheduled in another time zone, reopened and deleted', async ({
  owner,
  organization,
}) => {
  await twoFlags(organization);
  await owner.goto(await drafted(organization, 'dev'));
  await owner.getByRole('button', { name: 'Rename' }).click();
  const dialog = owner.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Launch in spring');
  await dialog.getByRole('textbox', { name: 'Description' }).fill('Both at once.');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(owner.getByRole('heading', { name: 'Launch in spring', level: 1 })).toBeVisible();
  await expect(owner.getByText('Both at once.')).toBeVisible();

  const preview = owner.getByRole('region', { name: 'What a context would get' });
  await preview.getByRole('button', { name: 'Compare answers' }).click();
  await expect(preview.getByText('2 answers change.')).toBeVisible();
  await expect(preview.getByRole('row', { name: /checkout/ }).getByRole('cell')).toHaveText([
    /^false/,
    /^true/,
  ]);
  await owner.getByRole('button', { name: 'Fields before and after: checkout in dev' }).click();
  await checkAccessibility(owner, 'change set, a draft');
  await owner.setViewportSize({ width: 1280, height: 800 });

  await owner.getByRole('button', { name: 'Apply later' }).click();
  const year = new Date().getUTCFullYear() + (new Date().getUTCMonth() > 5 ? 1 : 0);
  await dialog.getByRole('combobox', { name: 'Time zone' }).fill('Asia/Tokyo');
  await dialog.getByLabel('Apply at').first().fill(`${year}-07-01T09:00`);
  await expect(dialog.getByText(/00:00 UTC|0:00 UTC/)).toBeVisible();
  await checkAccessibility(owner, 'change set, applied later');
  await owner.setViewportSize({ width: 1280, height: 800 });
  await dialog.getByRole('button', { name: 'Schedule', exact: true }).click();
  await expect(owner.getByText('It is applied on')).toBeVisible();

  await act(owner, 'Reopen');
  await expect(owner.getByText('It is applied on')).toHaveCount(0);
  await owner.goto('/p/default/change-sets');
  const list = owner.getByRole('list', { name: 'Change sets' });
  await expect(list).toContainText('By Ada Lovelace');
  await checkAccessibility(owner, 'change sets');
  await owner.setViewportSize({ width: 1280, height: 800 });
  await list.getByRole('link', { name: 'Launch in spring' }).click();
  await act(owner, 'Delete');
  await expect(owner).toHaveURL('/p/default/change-sets');
  await expect(owner.getByRole('heading', { name: 'No change sets yet' })).toBeVisible();
});

test('a viewer sees a change set, and what it would do, but no actions', async ({
  organization,
  browserOf,
}) => {
  await twoFlags(organization);
  const viewer = await organization.invite('viewer');
  const page = await (await browserOf(viewer)).newPage();
  await page.goto(await drafted(organization, 'dev'));
  await expect(page.getByText('Switched on')).toHaveCount(2);
  await expect(page.getByRole('region', { name: 'Actions' })).toHaveCount(0);
});
