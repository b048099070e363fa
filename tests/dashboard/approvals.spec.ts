import { expect, test } from './support/test';

test('a request is seen beside the present state, and approved with a note', async ({
  owner,
  organization,
}) => {
  await organization.flag('checkout');
  const developer = await organization.invite('developer');
  const payload = { enabled: true, percentage_rollout: 2500 };
  const id = await organization.ask('checkout', 'production', payload, {
    by: developer,
    note: 'As of ticket 5',
  });

  // Where the mail leads to.
  await owner.goto(`/approvals?id=${id}`);
  const dialog = owner.getByRole('dialog', { name: 'checkout in production' });
  await expect(dialog.getByText('As of ticket 5')).toBeVisible();
  await expect(dialog.getByRole('region', { name: 'What it is now' })).toContainText('"enabled": false');
  await expect(dialog.getByRole('region', { name: 'What is asked for' })).toContainText(
    '"percentage_rollout": 2500',
  );
  await dialog.getByRole('textbox', { name: 'Note' }).fill('Looks good');
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await expect(owner.getByText('Approved: the change is in effect.')).toBeVisible();
  await expect(owner.getByRole('heading', { name: 'Nothing waits for a review' })).toBeVisible();

  const decided = await developer.api.get<Record<string, unknown>>(`/v1/approvals/${id}`);
  expect(decided).toMatchObject({ status: 'applied', review_note: 'Looks good' });
});

test('requests are listed, and rejected from there', async ({ owner, organization }) => {
  await organization.flag('checkout');
  const developer = await organization.invite('developer');
  await organization.ask('checkout', 'dev', { enabled: true }, { by: developer });
  await owner.goto('/approvals');
  await owner.getByRole('button', { name: 'Show the request about checkout in dev' }).click();
  await owner.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
  await expect(owner.getByText('Rejected: nothing was changed.')).toBeVisible();
  await owner.goto('/approvals?show=all');
  await expect(owner.getByRole('list', { name: 'Approvals' })).toContainText('Rejected');
});

test('nobody is offered to review their own request, nor without the permission', async ({
  owner,
  organization,
  browserOf,
}) => {
  await organization.flag('checkout');
  const viewer = await organization.invite('viewer');
  const id = await organization.ask('checkout', 'dev', { enabled: true });
  await owner.goto(`/approvals?id=${id}`);
  await expect(owner.getByText('This is your own request.')).toBeVisible();
  await expect(owner.getByRole('button', { name: 'Approve' })).toHaveCount(0);

  const other = await (await browserOf(viewer)).newPage();
  await other.goto(`/approvals?id=${id}`);
  await expect(other.getByText('Your role does not review requests.')).toBeVisible();
  await expect(other.getByRole('button', { name: 'Approve' })).toHaveCount(0);
});
