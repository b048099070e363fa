import type { Page } from '@playwright/test';
import { tabTo } from './support/forms';
import { expect, test } from './support/test';

/** The sentences about what a request changes. */
const changes = (page: Page) =>
  page.getByRole('region', { name: 'What this request changes' }).getByRole('listitem');

test('the difference is the same before, at and after a request is applied', async ({
  owner,
  organization,
}) => {
  await organization.flag('checkout');
  await organization.set('checkout', 'production', { percentage_rollout: 1000 });
  const developer = await organization.invite('developer');
  const payload = { enabled: true, percentage_rollout: 2500 };
  const id = await organization.ask('checkout', 'production', payload, {
    by: developer,
    note: 'As of ticket 5',
  });
  const sentences = ['Switched on', 'Rollout: 10% → 25%'];

  // Where older mail leads to.
  await owner.goto(`/approvals?id=${id}`);
  await expect(owner).toHaveURL(`/approvals/${id}`);
  await expect(owner.getByRole('heading', { name: 'checkout in production', level: 1 })).toBeVisible();
  await expect(owner.getByText('As of ticket 5')).toBeVisible();
  await expect(changes(owner)).toHaveText(sentences);
  const review = owner.getByRole('region', { name: 'Review', exact: true });
  await expect(review).toContainText('0 of 1 approval');
  await review.getByRole('textbox', { name: 'Note' }).fill('Looks good');
  await review.getByRole('button', { name: 'Approve' }).click();
  await expect(owner.getByText('Approved. The change is live.')).toBeVisible();
  await expect(review).toContainText('approved and applied it');
  await expect(review).toContainText('Looks good');
  await expect(changes(owner)).toHaveText(sentences);

  await organization.set('checkout', 'production', { enabled: false, percentage_rollout: 5000 });
  await owner.reload();
  await expect(changes(owner)).toHaveText(sentences);
  const decided = await developer.api.get<Record<string, unknown>>(`/v1/approvals/${id}`);
  expect(decided).toMatchObject({ status: 'applied', review_note: 'Looks good' });

  await owner.getByRole('link', { name: 'Open the flag' }).click();
  await owner.getByRole('tab', { name: 'History' }).click();
  await owner.getByRole('link', { name: 'Who requested it, and why' }).click();
  await expect(owner).toHaveURL(`/approvals/${id}`);
});

test('a comment that is being written stays when the difference arrives', async ({ owner, organization }) => {
  await organization.flag('checkout');
  const id = await organization.ask('checkout', 'dev', { enabled: true });
  let arrive = () => {};
  const asked = new Promise<void>(resolve => {
    arrive = resolve;
  });
  await owner.route(`**/approvals/${id}/diff`, async route => {
    await asked;
    await route.continue();
  });

  await owner.goto(`/approvals/${id}`);
  const comment = owner.getByRole('textbox', { name: 'Comment' });
  await comment.fill('Needed before the weekend.');
  await expect(changes(owner)).toHaveCount(0);
  arrive();
  await expect(changes(owner)).toHaveText(['Switched on']);
  await expect(comment).toHaveValue('Needed before the weekend.');
  await owner.getByRole('button', { name: 'Comment' }).click();
  await expect(owner.getByRole('listitem').filter({ hasText: 'Needed before the weekend.' })).toBeVisible();
});

test('a request that conflicts is shown so, and cannot be approved blind', async ({
  owner,
  organization,
}) => {
  await organization.flag('checkout');
  const developer = await organization.invite('developer');
  const id = await organization.ask('checkout', 'dev', { percentage_rollout: 2500 }, { by: developer });
  await organization.set('checkout', 'dev', { percentage_rollout: 5000 });

  await owner.goto(`/approvals/${id}`);
  const moved = owner.getByRole('region', { name: 'The flag has changed since this request was made' });
  await expect(moved).toContainText('Someone changed what this request changes too: rollout.');
  await expect(moved.getByRole('listitem')).toHaveText(['Rollout: not set → 50%', 'Rollout: 50% → 25%']);
  await expect(changes(owner)).toHaveText(['Rollout: not set → 25%']);
  const approve = owner.getByRole('button', { name: 'Approve and overwrite' });
  await expect(approve).toBeEnabled();

  // It changes once more while the page is open: nothing can be approved until that is shown too.
  await organization.set('checkout', 'dev', { percentage_rollout: 7500 });
  await expect(owner.getByText('The flag changed while you were looking at this page.')).toBeVisible();
  await expect(approve).toBeDisabled();
  await owner.getByRole('button', { name: 'Show the current comparison' }).click();
  await expect(moved.getByRole('listitem')).toHaveText(['Rollout: not set → 75%', 'Rollout: 75% → 25%']);
  await approve.click();
  await expect(owner.getByText('Approved. The change is live.')).toBeVisible();
});

test('requests are approved by keyboard alone', async ({ owner, organization }) => {
  await organization.flag('checkout');
  const developer = await organization.invite('developer');
  await organization.ask('checkout', 'dev', { enabled: true }, { by: developer });
  await owner.goto('/approvals');
  await expect(owner.getByRole('tab', { name: 'To review (1)' })).toBeVisible();
  const link = owner.getByRole('link', { name: 'checkout in dev' });
  await tabTo(owner, link);
  await owner.keyboard.press('Enter');
  await expect(owner.getByRole('heading', { name: 'checkout in dev' })).toBeVisible();
  const note = owner.getByRole('textbox', { name: 'Note' });
  await tabTo(owner, note);
  await owner.keyboard.type('Fine');
  await owner.keyboard.press('Tab');
  await expect(owner.getByRole('button', { name: 'Approve' })).toBeFocused();
  await owner.keyboard.press('Enter');
  await expect(owner.getByText('Approved. The change is live.')).toBeVisible();
});

test('two reviewers are counted, and what a user gets is previewed', async ({
  owner,
  organization,
  browserOf,
}) => {
  await organization.flag('checkout');
  const developer = await organization.invite('developer');
  const admin = await organization.invite('admin');
  const env = organization.environment('production').id;
  await organization.owner.api.put(`/v1/projects/${organization.project.id}/environments/${env}`, {
    protected: true,
    required_approvals: 2,
  });
  const id = await organization.ask('checkout', 'production', { enabled: true }, { by: developer });
  await owner.goto(`/approvals/${id}`);
  await expect(
    owner.getByText(/is protected: every change needs approval from 2 other members/),
  ).toBeVisible();
  const preview = owner.getByRole('region', { name: 'Preview for a user' });
  await preview.getByRole('textbox', { name: 'User key' }).fill('user-1');
  await preview.getByRole('button', { name: 'Compare' }).click();
  await expect(preview.getByRole('definition')).toHaveText([/^false/, /^true/]);
  await owner.getByRole('button', { name: 'Approve' }).click();
  await expect(owner.getByText('Approved. It needs another reviewer before it is applied.')).toBeVisible();
  await expect(owner.getByText('You approved this request. It needs another reviewer.')).toBeVisible();
  await expect(owner.getByRole('region', { name: 'Review', exact: true })).toContainText('1 of 2 approvals');

  const other = await (await browserOf(admin)).newPage();
  await other.goto(`/approvals/${id}`);
  await expect(other.getByText('Ada Lovelace approved on')).toBeVisible();
  await other.getByRole('button', { name: 'Approve' }).click();
  await expect(other.getByText('Approved. The change is live.')).toBeVisible();
});

test('members comment, and the requester withdraws', async ({ owner, organization, browserOf }) => {
  await organization.flag('checkout');
  const developer = await organization.invite('developer');
  const id = await organization.ask('checkout', 'dev', { enabled: true }, { by: developer });
  await owner.goto(`/approvals/${id}`);
  const comments = owner.getByRole('region', { name: 'Comments' });
  await expect(comments.getByText('No comments yet.')).toBeVisible();

  const theirs = await (await browserOf(developer)).newPage();
  await theirs.goto('/approvals?show=mine');
  await theirs.getByRole('link', { name: 'checkout in dev' }).click();
  await theirs.getByRole('textbox', { name: 'Comment' }).fill('Needed for the demo');
  await theirs.getByRole('button', { name: 'Comment' }).click();
  // The other browser sees it without a reload.
  await expect(comments.getByText('Needed for the demo')).toBeVisible();

  await expect(theirs.getByText('You made this request')).toBeVisible();
  await expect(theirs.getByRole('button', { name: 'Approve' })).toHaveCount(0);
  await theirs.getByRole('button', { name: 'Withdraw request' }).click();
  await theirs.getByRole('dialog').getByRole('button', { name: 'Withdraw request' }).click();
  await expect(theirs.getByText('Withdrawn. The flag stays as it is.')).toBeVisible();
  await expect(owner.getByRole('region', { name: 'Review', exact: true })).toContainText(
    'Max developer withdrew it',
  );
  await owner.goto('/approvals?show=done&status=rejected');
  await expect(owner.getByRole('list', { name: 'Approvals' })).toContainText('Withdrawn');
});

test('a request is rejected, and a viewer is told who reviews', async ({
  owner,
  organization,
  browserOf,
}) => {
  await organization.flag('checkout');
  const viewer = await organization.invite('viewer');
  const developer = await organization.invite('developer');
  const id = await organization.ask('checkout', 'dev', { enabled: true }, { by: developer });
  const other = await (await browserOf(viewer)).newPage();
  await other.goto(`/approvals/${id}`);
  await expect(other.getByText('Owners and admins review requests. Ask one of them.')).toBeVisible();
  await expect(other.getByText('Your role can read comments, not write them.')).toBeVisible();

  await owner.goto(`/approvals/${id}`);
  await owner.getByRole('button', { name: 'Reject' }).click();
  await expect(owner.getByText('Rejected. The flag stays as it is.')).toBeVisible();
  await expect(other.getByText('Ada Lovelace rejected it')).toBeVisible();
});

test('a request is approved on a phone', async ({ owner, organization }) => {
  await owner.setViewportSize({ width: 360, height: 740 });
  await organization.flag('checkout');
  const developer = await organization.invite('developer');
  const id = await organization.ask('checkout', 'dev', { enabled: true }, { by: developer });
  await owner.goto(`/approvals/${id}`);
  const approve = owner.getByRole('button', { name: 'Approve' });
  await expect(approve).toBeVisible();
  const { width, scroll, button } = await owner.evaluate(() => ({
    width: document.documentElement.clientWidth,
    scroll: document.documentElement.scrollWidth,
    button: [...document.querySelectorAll('button')].find(one => one.textContent === 'Approve')?.offsetHeight,
  }));
  expect(scroll).toBeLessThanOrEqual(width);
  expect(button).toBeGreaterThanOrEqual(40);
  await approve.click();
  await expect(owner.getByText('Approved. The change is live.')).toBeVisible();
});

test('what was requested on the page of a flag is one press away', async ({ owner, organization }) => {
  await organization.flag('checkout');
  await owner.goto(`/p/${organization.project.slug}/flags/checkout?env=dev`);
  await owner.getByRole('switch', { name: 'Development', exact: true }).click();
  await owner.getByRole('button', { name: 'Review and save' }).click();
  await owner.getByRole('dialog').getByRole('button', { name: 'Request approval' }).click();
  await owner.getByRole('link', { name: 'Open request' }).click();
  await expect(owner.getByRole('heading', { name: 'checkout in dev', level: 1 })).toBeVisible();
  const request = owner.url();

  await owner.goBack();
  await owner.getByRole('link', { name: 'Development, requested by Ada Lovelace' }).click();
  await expect(owner).toHaveURL(request);
});

test('the page of a flag leads to the requests about it', async ({ owner, organization }) => {
  await organization.flag('checkout');
  await organization.flag('other');
  const developer = await organization.invite('developer');
  await organization.ask('checkout', 'dev', { enabled: true }, { by: developer });
  await organization.ask('other', 'dev', { enabled: true }, { by: developer });
  await owner.goto(`/p/${organization.project.slug}/flags/checkout?env=dev`);
  await owner.getByRole('link', { name: '1 approval pending' }).click();
  await expect(owner.getByText('Only requests for checkout.')).toBeVisible();
  await expect(owner.getByRole('link', { name: /in dev$/ })).toHaveText(['checkout in dev']);
  await owner.getByRole('button', { name: 'Show all flags' }).click();
  await expect(owner.getByRole('link', { name: /in dev$/ })).toHaveCount(2);
});
