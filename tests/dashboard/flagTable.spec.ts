import { expect, test } from './support/test';

test('the keyboard leads through the table and switches', async ({ owner, organization }) => {
  for (let number = 10; number < 60; number += 1) await organization.flag(`flag-${number}`);
  await owner.goto(`/p/${organization.project.slug}/flags?sort=key`);
  await expect(owner.getByText('50 flags')).toBeVisible();
  const focused = owner.locator(':focus');

  await owner.keyboard.press('j');
  await expect(focused).toHaveAccessibleName('flag-10 in Development');
  await owner.keyboard.press('j');
  await owner.keyboard.press('ArrowRight');
  await expect(focused).toHaveAccessibleName('flag-11 in Staging');
  await owner.keyboard.press('Control+End');
  await expect(focused).toHaveAccessibleName('Actions for flag-59');
  await expect(focused).toBeInViewport();
  await owner.keyboard.press('k');
  await owner.getByRole('switch', { name: 'flag-58 in Staging' }).focus();
  await owner.keyboard.press('e');
  await expect(owner.getByText(/^flag-58 is on in Staging/)).toBeVisible();
  await expect(focused).toBeChecked();
  await owner.keyboard.press('Home');
  await expect(focused).toHaveAccessibleName('Select flag-58');
  await owner.keyboard.press('x');
  await expect(focused).toBeChecked();
  await owner.keyboard.press('x');
  await owner.keyboard.press('ArrowRight');
  await expect(focused).toHaveText('flag-58');

  // What is scrolled away keeps the focus.
  await owner.mouse.move(600, 400);
  await owner.mouse.wheel(0, -5000);
  await expect(owner.getByRole('link', { name: 'flag-10' })).toBeInViewport();
  await owner.keyboard.press('ArrowDown');
  await expect(focused).toHaveText('flag-59');
  await expect(focused).toBeInViewport();
});

test('a new flag has its first value, and is on where it is wanted', async ({
  owner,
  organization,
  watch,
}) => {
  await owner.goto(`/p/${organization.project.slug}/flags`);
  await owner.getByRole('button', { name: 'Create a flag' }).click();
  const dialog = owner.getByRole('dialog', { name: 'Create a flag' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Limit');
  await dialog.getByRole('button', { name: /Type/ }).click();
  await owner.getByRole('option', { name: 'Number' }).click();
  const value = dialog.getByRole('textbox', { name: 'Default value' });
  await value.fill('ten');
  await dialog.getByRole('button', { name: 'Create a flag' }).click();
  await expect(value).toHaveAccessibleDescription(/Enter a number/);
  await value.fill('10');
  await dialog.getByRole('switch', { name: 'Development' }).click();
  await dialog.getByRole('switch', { name: 'Production' }).click();

  // Production cannot be switched just now, which keeps nothing else from being done.
  watch.expect(503);
  const production = organization.environment('production').id;
  await owner.route(`**/environments/${production}?wait=edges`, route =>
    route.fulfill({ status: 503, json: { error: 'please try again' } }),
  );
  await dialog.getByRole('button', { name: 'Create a flag' }).click();
  await expect(owner.getByText('Created limit. It is on in Development.')).toBeVisible();
  await expect(owner.getByText(/^Created limit, but it is still off in Production/)).toBeVisible();
  await expect(owner).toHaveURL(/\/flags\/limit\?env=dev$/);
  await owner.goBack();
  await expect(owner.getByRole('switch', { name: 'limit in Development' })).toBeChecked();
  await expect(owner.getByRole('switch', { name: 'limit in Production' })).not.toBeChecked();
  const program = await organization.program('dev');
  await program.sees('limit', 10);
});
