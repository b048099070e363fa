import { signIn } from './support/forms';
import { Mailbox } from './support/mail';
import { newAddress, PASSWORD } from './support/organization';
import { expect, test } from './support/test';

test('a person signs up by the code in the mail', async ({ page, watch }) => {
  const mails = new Mailbox(newAddress('grace'));
  await page.goto('/signup');
  await page.getByRole('textbox', { name: 'Your name' }).fill('Grace Hopper');
  await page.getByRole('textbox', { name: 'Email' }).fill(mails.address);
  await page.getByRole('textbox', { name: 'Organization' }).fill(`Navy ${mails.address}`);

  const rules = page.getByRole('list', { name: 'The password needs' });
  await expect(rules.getByRole('listitem').first()).toHaveText(/at least 8 characters.*not yet met/);
  await page.getByRole('textbox', { name: 'Password' }).fill('Grace-Hopper-1');
  await expect(page.getByText('Weak password. It contains your name or address')).toBeVisible();
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await expect(page.getByText('Strong password.')).toBeVisible();
  for (const rule of await rules.getByRole('listitem').all())
    await expect(rule).toHaveText(/(?<!not yet) met$/);
  await page.getByRole('button', { name: 'Email me a code' }).click();

  await expect(page.getByRole('heading', { name: 'Check your email' })).toBeVisible();
  await expect(page.getByRole('button', { name: /^New code in 0:\d\d$/ })).toBeDisabled();
  await page.reload();
  const code = page.getByRole('textbox', { name: 'Six-digit code' });
  const mailed = await mails.code();
  // The page does not keep it, and the code counts for whoever began with this password alone.
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);

  watch.expect(400);
  await code.fill(mailed === '111111' ? '222222' : '111111');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(code).toHaveAccessibleDescription(/code/);

  // The first run asks for its flag, which is not there yet.
  watch.expect(404);
  // As it is pasted from a mail.
  await code.fill('');
  await code.pressSequentially(`${mailed.slice(0, 3)} ${mailed.slice(3)}`);
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page).toHaveURL('/onboarding');
  await expect(page.getByRole('heading', { name: 'Get started' })).toBeVisible();
});

test('an invitation leads into the organization', async ({ page, organization }) => {
  const mails = new Mailbox(newAddress('invited'));
  await organization.owner.api.post('/v1/members/invite', { email: mails.address, role: 'developer' });
  const link = /http\S+\/signup\?\S+/.exec(await mails.next())?.[0];
  await page.goto(link ?? '');
  await expect(page.getByRole('heading', { name: 'Accept the invitation' })).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Email' })).toHaveValue(mails.address);
  await expect(page.getByRole('textbox', { name: 'Organization' })).toHaveCount(0);
  await expect(page.getByRole('textbox', { name: 'Your name' })).toBeFocused();
  await page.getByRole('textbox', { name: 'Your name' }).fill('Max');
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Email me a code' }).click();
  await page.getByRole('textbox', { name: 'Six-digit code' }).fill(await mails.code());
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page).toHaveURL(`/p/${organization.project.slug}/flags`);

  await page.goto('/settings/account');
  const of = page.getByRole('region', { name: 'Organization' });
  await expect(of.getByRole('definition').first()).toHaveText(organization.name);
  await expect(of.getByText('Developer')).toBeVisible();
});

test('an address with an account is told to sign in', async ({ page, organization, watch }) => {
  watch.expect(409);
  await page.goto('/signup');
  await page.getByRole('textbox', { name: 'Your name' }).fill('Ada');
  await page.getByRole('textbox', { name: 'Email' }).fill(organization.owner.email);
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await page.getByRole('textbox', { name: 'Organization' }).fill('Another');
  await page.getByRole('button', { name: 'Email me a code' }).click();
  await expect(page.getByRole('alert')).toContainText('An account with this email already exists.');
  await page.getByRole('alert').getByRole('link', { name: 'Sign in instead' }).click();
  await expect(page).toHaveURL('/login');
});

test('a forgotten password is replaced by a code in the mail', async ({ page, organization }) => {
  const { email, mails } = organization.owner;
  await page.goto('/login');
  await page.getByRole('textbox', { name: 'Email' }).fill(email);
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await expect(page.getByRole('textbox', { name: 'Email' })).toHaveValue(email);
  await page.getByRole('button', { name: 'Email me a code' }).click();
  await expect(page.getByRole('status')).toContainText('If this email has an account, we sent a code to it.');
  await page.getByRole('textbox', { name: 'Six-digit code' }).fill(await mails.code());
  await page.getByRole('textbox', { name: 'New password' }).fill('Another-Horse-8');
  await page.getByRole('button', { name: 'Set the password' }).click();
  await expect(page.getByRole('status')).toHaveText(
    'Your new password is set. You were signed out everywhere else.',
  );
  await page.getByRole('textbox', { name: 'Password' }).fill('Another-Horse-8');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(`/p/${organization.project.slug}/flags`);
});

test('a reset never tells whether an address has an account', async ({ page }) => {
  await page.goto('/forgot-password');
  await page.getByRole('textbox', { name: 'Email' }).fill(newAddress('nobody'));
  await page.getByRole('button', { name: 'Email me a code' }).click();
  await expect(page.getByRole('status')).toContainText('If this email has an account, we sent a code to it.');
});

test('a new password that is too weak is refused at its field', async ({ page, organization, watch }) => {
  watch.expect(400);
  await page.goto(`/reset-password?email=${encodeURIComponent(organization.owner.email)}`);
  await page.getByRole('textbox', { name: 'Six-digit code' }).fill('123456');
  const password = page.getByRole('textbox', { name: 'New password' });
  await password.fill('short');
  await page.getByRole('button', { name: 'Set the password' }).click();
  await expect(password).toBeFocused();
  await expect(password).toHaveAccessibleDescription(/password/i);
  await expect(page).toHaveURL(/reset-password/);
  await page.getByRole('link', { name: 'Send another code' }).click();
  await expect(page.getByRole('heading', { name: 'Reset your password' })).toBeVisible();
});

test('signing in leads to signing up and back', async ({ page, organization }) => {
  await page.goto('/login');
  await page.getByRole('link', { name: 'Create an account' }).click();
  await expect(page.getByRole('heading', { name: 'Create an account' })).toBeVisible();
  await page.getByRole('link', { name: 'Sign in' }).click();
  await signIn(page, organization.owner.email, PASSWORD);
  await expect(page.getByRole('heading', { name: 'Flags', exact: true })).toBeVisible();
});
