import { PASSWORD } from './support/organization';
import { expect, test } from './support/test';

test('a person signs in and is led to the flags', async ({ page, organization, watch }) => {
  watch.expect(401);
  await page.goto('/');
  await expect(page).toHaveURL(/\/login\?next=/);
  await page.getByRole('textbox', { name: 'E-mail' }).fill(organization.owner.email);
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(`/p/${organization.project.slug}/flags`);
  await expect(page.getByRole('heading', { name: 'No flags yet' })).toBeVisible();
});

test('the session is entered', async ({ owner }) => {
  await owner.goto('/');
  await expect(owner.getByRole('heading', { name: 'No flags yet' })).toBeVisible();
});
