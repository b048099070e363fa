import { Mailbox } from './support/mail';
import { PASSWORD } from './support/organization';
import { expect, test } from './support/test';

const NARROW = { width: 360, height: 740 };

test('somebody is invited, joins by the link in the mail, and is shown', async ({
  owner,
  organization,
  browserOf,
  watch,
}) => {
  watch.expect(409);
  await owner.goto('/team');
  await owner.getByRole('button', { name: 'Invite a member' }).click();
  const invite = owner.getByRole('dialog', { name: 'Invite a member' });
  const email = `bob-${organization.id.slice(-8)}@example.com`;
  await invite.getByRole('textbox', { name: 'Email' }).fill(organization.owner.email);
  await invite.getByText('Viewer', { exact: true }).click();
  const send = invite.getByRole('button', { name: 'Send the invitation' });
  await send.click();
  await expect(invite.getByText('This person is a member already.')).toBeVisible();
  await invite.getByRole('textbox', { name: 'Email' }).fill(email);
  await send.click();
  await expect(owner.getByText(`${email} is invited.`)).toBeVisible();
  const row = owner.getByRole('list', { name: 'Members' }).getByRole('listitem').filter({ hasText: email });
  await expect(row).toContainText('Invitation pending');
  await expect(row).toContainText('Viewer');

  const link = await new Mailbox(email).link();
  const context = await browserOf(null);
  const page = await context.newPage();
  await page.goto(new URL(link).pathname + new URL(link).search);
  await expect(page.getByRole('heading', { name: 'Accept the invitation' })).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Email' })).toHaveValue(email);
});

test('a role is changed, sessions are ended, and a member is removed', async ({ owner, organization }) => {
  const developer = await organization.invite('developer');
  await owner.goto('/team');
  const list = owner.getByRole('list', { name: 'Members' });
  const row = list.getByRole('listitem').filter({ hasText: developer.email });
  await row.getByRole('button', { name: 'Actions for Max developer' }).click();
  await owner.getByRole('menuitem', { name: 'Change role' }).click();
  const role = owner.getByRole('dialog', { name: 'Change the role of Max developer' });
  await role.getByText('Admin', { exact: true }).click();
  await role.getByRole('button', { name: 'Change role' }).click();
  await expect(row).toContainText('Admin');

  await row.getByRole('button', { name: 'Actions for Max developer' }).click();
  await owner.getByRole('menuitem', { name: 'End all sessions' }).click();
  const sessions = owner.getByRole('dialog', { name: 'End all sessions of Max developer?' });
  await sessions.getByRole('button', { name: 'End all sessions' }).click();
  await expect(owner.getByText('The sessions of Max developer are ended.')).toBeVisible();
  expect((await developer.api.ask('GET', '/v1/me')).status).toBe(401);

  await row.getByRole('button', { name: 'Actions for Max developer' }).click();
  await owner.getByRole('menuitem', { name: 'Remove' }).click();
  const remove = owner.getByRole('dialog', { name: 'Remove Max developer?' });
  await remove.getByRole('button', { name: 'Remove the member' }).click();
  await expect(row).toHaveCount(0);
});

test('the last owner stays, and nobody removes themselves', async ({ owner, watch }) => {
  watch.expect(409);
  await owner.goto('/team');
  const actions = owner.getByRole('button', { name: 'Actions for Ada Lovelace' });
  await actions.click();
  await owner.getByRole('menuitem', { name: 'Change role' }).click();
  const role = owner.getByRole('dialog', { name: 'Change the role of Ada Lovelace' });
  await expect(role.getByText('This is your own role.')).toBeVisible();
  await role.getByText('Viewer', { exact: true }).click();
  await role.getByRole('button', { name: 'Change role' }).click();
  await expect(role.getByText(/is the last owner without restrictions/)).toBeVisible();
  await role.getByRole('button', { name: 'Cancel' }).click();

  await actions.click();
  await owner.getByRole('menuitem', { name: 'Remove' }).click();
  const remove = owner.getByRole('dialog', { name: 'Remove Ada Lovelace?' });
  await expect(remove.getByText(/Members cannot remove themselves/)).toBeVisible();
  await expect(remove.getByRole('button', { name: 'Remove the member' })).toHaveCount(0);
});

test('seats are shown before they are used up', async ({ owner, organization, watch }) => {
  watch.expect(402);
  await organization.setPlan('free');
  const usage = await organization.owner.api.get<{ seats_limit: number }>('/v1/billing/usage');
  for (let count = 1; count < usage.seats_limit; count += 1) {
    await organization.owner.api.post('/v1/members/invite', { email: `guest-${count}@example.com` });
  }
  await owner.goto('/team');
  await expect(
    owner.getByText(/^Your plan allows \d+ members?, invited ones included; you have/),
  ).toBeVisible();
  await owner.getByRole('button', { name: 'Invite a member' }).click();
  const invite = owner.getByRole('dialog', { name: 'Invite a member' });
  await invite.getByRole('textbox', { name: 'Email' }).fill('one-more@example.com');
  await invite.getByRole('button', { name: 'Send the invitation' }).click();
  await expect(invite.getByText(/Your plan has no free seat/)).toBeVisible();
  await expect(invite.getByRole('link', { name: 'See plans' })).toBeVisible();
});

test('permissions in environments are edited by keyboard and saved as one change', async ({
  owner,
  organization,
}) => {
  const developer = await organization.invite('developer');
  await owner.goto('/team?tab=environments');
  const grid = owner.getByRole('grid', { name: 'Permissions in environments' });
  const first = organization.environments[0]?.name ?? '';
  await expect(grid.getByRole('row').filter({ hasText: 'Ada Lovelace' })).toContainText(
    'Owner: may do everything in every environment.',
  );
  const toggle = grid.getByRole('checkbox', { name: `Max developer, ${first}: switch` });
  const rules = grid.getByRole('checkbox', { name: `Max developer, ${first}: edit rules` });
  await grid.getByRole('checkbox', { name: `Ada Lovelace, ${first}: switch` }).focus();
  await owner.keyboard.press('ArrowDown');
  await expect(toggle).toBeFocused();
  await owner.keyboard.press('Space');
  await owner.keyboard.press('ArrowRight');
  await expect(rules).toBeFocused();
  await owner.keyboard.press('Space');
  await expect(owner.getByText('1 member has unsaved changes.')).toBeVisible();

  // Another tab of the page loses nothing.
  await owner.getByRole('tab', { name: 'Members' }).click();
  await owner.getByRole('tab', { name: 'Environments' }).click();
  await expect(toggle).not.toBeChecked();
  await owner.getByRole('button', { name: 'Save' }).click();
  await expect(owner.getByText('Saved for Max developer.')).toBeVisible();
  const me = await developer.api.get<{ environment_permissions: unknown[] }>('/v1/me');
  expect(me.environment_permissions).toEqual([
    { env_id: organization.environments[0]?.id, can_toggle: false, can_edit_rules: false },
  ]);
  const audit = await organization.owner.api.get<{ total: number }>(
    '/v1/audit?action=member.permissions_updated',
  );
  expect(audit.total).toBe(1);
});

test('the page of a member shows rights, sessions and the way to their audit trail', async ({
  owner,
  organization,
}) => {
  const developer = await organization.invite('developer');
  await owner.goto('/team');
  await owner.getByRole('link', { name: 'Max developer' }).click();
  await expect(owner.getByRole('heading', { name: 'Max developer', level: 1 })).toBeVisible();
  const rights = owner.getByRole('region', { name: 'What they may do' });
  await expect(rights.getByText('Create flags')).toBeVisible();
  await expect(rights.getByText('Approve and reject requests')).toHaveCount(0);
  const me = await developer.api.get<{ user: { id: string } }>('/v1/me');
  await expect(owner.getByRole('link', { name: 'Their actions' })).toHaveAttribute(
    'href',
    `/audit?actor_id=${me.user.id}`,
  );
  await owner.getByRole('button', { name: 'End all sessions' }).click();
  await owner.getByRole('dialog').getByRole('button', { name: 'End all sessions' }).click();
  await expect(owner.getByText('The sessions of Max developer are ended.')).toBeVisible();
  await owner.goto('/team/00000000-0000-7000-8000-000000000009');
  await expect(owner.getByRole('heading', { name: 'There is no such member' })).toBeVisible();
});

test('a member is found in the palette', async ({ owner, organization }) => {
  await organization.invite('developer');
  await owner.goto('/settings/account');
  await expect(owner.getByRole('heading', { name: 'Account', level: 1 })).toBeVisible();
  await owner.keyboard.press('Control+k');
  await owner.getByRole('searchbox', { name: 'Search or jump to' }).fill('max');
  await owner.getByRole('menuitem', { name: /Max developer/ }).click();
  await expect(owner.getByRole('heading', { name: 'Max developer', level: 1 })).toBeVisible();
});

test('a viewer sees who is there, and no sign-ins of others', async ({ organization, browserOf }) => {
  const context = await browserOf(await organization.invite('viewer'));
  const page = await context.newPage();
  await page.goto('/team');
  await expect(
    page.getByText('Your role, Viewer, may not invite, change or remove members. Owners and Admins may.'),
  ).toBeVisible();
  const ada = page.getByRole('listitem').filter({ hasText: 'Ada Lovelace' });
  await expect(ada).toContainText('Owner');
  await expect(ada).not.toContainText('Two-factor');
  await expect(page.getByRole('button', { name: 'Invite a member' })).toBeDisabled();
  await expect(page.getByRole('tab', { name: 'Custom roles' })).toHaveCount(0);
  await page.getByRole('tab', { name: 'Environments' }).click();
  await expect(page.getByRole('checkbox').first()).toHaveAttribute('aria-disabled', 'true');
});

test('a search of several words finds, and says what finds nothing', async ({ owner, organization }) => {
  await organization.owner.api.post('/v1/members/invite', { email: 'grace.hopper@example.com' });
  await owner.goto('/team');
  const search = owner.getByRole('searchbox', { name: 'Search by name or email' });
  await search.fill('example HOPPER');
  await expect(owner.getByText('1 member matches “example HOPPER”.')).toBeVisible();
  await expect(owner).toHaveURL(/\?q=example\+HOPPER$/);
  await search.fill('nobody');
  await expect(owner.getByRole('heading', { name: 'No member matches “nobody”' })).toBeVisible();
  await owner.getByRole('button', { name: 'Show all members' }).click();
  await expect(owner.getByText('2 members')).toBeVisible();
});

test('on a phone members are cards, and nothing scrolls sideways', async ({ owner, organization }) => {
  await organization.invite('developer');
  await owner.setViewportSize(NARROW);
  for (const path of ['/team', '/team?tab=environments']) {
    await owner.goto(path);
    await expect(owner.getByText('Max developer')).toBeVisible();
    const width = await owner.evaluate(() => document.documentElement.scrollWidth);
    expect(width, path).toBeLessThanOrEqual(NARROW.width);
  }
  await owner.goto('/team');
  await expect(owner.getByRole('listitem').filter({ hasText: 'Max developer' })).toContainText(
    'Last sign-in',
  );
});

test('own name and password are changed, and other sessions end', async ({ owner, organization, watch }) => {
  watch.expect(401);
  const other = await organization.owner.again();
  await owner.goto('/settings/account');
  await owner.getByRole('textbox', { name: 'Name', exact: true }).fill('Ada King');
  await owner.getByRole('button', { name: 'Save the name' }).click();
  await expect(owner.getByRole('button', { name: 'Account of Ada King' })).toBeVisible();

  const card = owner.getByRole('region', { name: 'Password' });
  await card.getByLabel('Current password').fill('Wrong-Horse-1');
  await card.getByLabel('New password').fill('Battery-Staple-2');
  await expect(card.getByRole('list', { name: 'The password needs' })).not.toContainText('not yet met');
  await card.getByRole('button', { name: 'Change the password' }).click();
  await expect(card.getByText('This is not your current password.')).toBeVisible();
  await card.getByLabel('Current password').fill(PASSWORD);
  await card.getByRole('button', { name: 'Change the password' }).click();
  await expect(owner.getByText('Your password is changed. All other sessions have ended.')).toBeVisible();
  await expect(card.getByLabel('New password')).toHaveValue('');
  expect((await other.api.ask('GET', '/v1/me')).status).toBe(401);
  await owner.reload();
  await expect(owner.getByRole('heading', { name: 'Account', level: 1 })).toBeVisible();
});
