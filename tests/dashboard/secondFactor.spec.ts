import { PASSWORD } from './support/organization';
import { expect, test } from './support/test';
import { totp } from './support/totp';

test('a second factor is set up, and switched off by the password', async ({
  organization,
  browserOf,
  watch,
}) => {
  const person = await organization.owner.proven();
  const owner = await (await browserOf(person)).newPage();
  await owner.goto('/settings/security');
  const card = owner.getByRole('region', { name: 'Two-factor authentication' });
  await expect(card.getByText('Off')).toBeVisible();
  await card.getByRole('button', { name: 'Set up two-factor authentication' }).click();

  const scan = owner.getByRole('dialog', { name: 'Scan the code' });
  await expect(scan.getByRole('img', { name: 'QR code for the authenticator app' })).toBeVisible();
  const secret = (await scan.getByRole('code').textContent()) ?? '';
  await scan.getByRole('button', { name: 'Next' }).click();

  const keep = owner.getByRole('dialog', { name: 'Save the backup codes' });
  await expect(keep.getByRole('list', { name: 'Backup codes' }).getByRole('listitem')).toHaveCount(10);
  // They are shown this once, so nothing closes the dialog by accident.
  await owner.keyboard.press('Escape');
  await owner.mouse.click(5, 5);
  await expect(keep).toBeVisible();
  const download = owner.waitForEvent('download');
  await keep.getByRole('button', { name: 'Download' }).click();
  expect((await download).suggestedFilename()).toBe('halyard-backup-codes.txt');
  await keep.getByRole('button', { name: 'I’ve saved them' }).click();

  watch.expect(422);
  const verify = owner.getByRole('dialog', { name: 'Enter the first code' });
  const code = verify.getByRole('textbox', { name: 'Six-digit code' });
  await code.fill('000000');
  await verify.getByRole('button', { name: 'Turn on' }).click();
  await expect(code).toHaveAccessibleDescription(/^The code is wrong or has expired/);
  await code.fill(totp(secret));
  await verify.getByRole('button', { name: 'Turn on' }).click();
  await expect(owner.getByText('Two-factor authentication is on.')).toBeVisible();
  await expect(card.getByText(/^On since/)).toBeVisible();
  expect(await person.api.get('/v1/auth/mfa/status')).toMatchObject({ enabled: true });

  watch.expect(401);
  await card.getByRole('button', { name: 'Turn off' }).click();
  const disable = owner.getByRole('dialog', { name: 'Turn off two-factor authentication' });
  const password = disable.getByRole('textbox', { name: 'Password' });
  await password.fill('Wrong-Horse-7');
  await disable.getByRole('button', { name: 'Turn off' }).click();
  await expect(password).toHaveAccessibleDescription(/^The password is wrong/);
  await password.fill(PASSWORD);
  await disable.getByRole('button', { name: 'Turn off' }).click();
  await expect(owner.getByText('Two-factor authentication is off.')).toBeVisible();
  expect(await person.api.get('/v1/auth/mfa/status')).toMatchObject({ enabled: false });
});

test('where the plan has no second factor the page says which does', async ({ owner, organization }) => {
  await organization.setPlan('free');
  await owner.goto('/settings/security');
  await expect(owner.getByText(/Part of the Pro plan\./)).toBeVisible();
  await expect(owner.getByRole('button', { name: 'Set up two-factor authentication' })).toHaveCount(0);
});
