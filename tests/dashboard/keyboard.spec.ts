import { expect, test } from './support/test';

test('the palette leads everywhere', async ({ owner, organization }) => {
  await owner.goto('/');
  await expect(owner.getByRole('heading', { name: 'No flags yet' })).toBeVisible();
  await owner.keyboard.press('Control+K');
  const palette = owner.getByRole('dialog', { name: 'Search or jump to' });
  await expect(palette.getByRole('searchbox')).toBeFocused();
  await owner.keyboard.type('secur');
  await expect(palette.getByRole('menuitem')).toHaveText([/^Go to Security/]);
  await owner.keyboard.press('Enter');
  await expect(owner.getByRole('heading', { name: 'Security', level: 1 })).toBeVisible();

  await owner.keyboard.press('Control+K');
  await owner.keyboard.type('no such thing');
  await expect(palette.getByText('Nothing matches.')).toBeVisible();
  await owner.keyboard.press('Escape');
  await owner.keyboard.press('Escape');
  await expect(palette).toHaveCount(0);

  await owner.keyboard.press('g');
  await owner.keyboard.press('f');
  await expect(owner).toHaveURL(`/p/${organization.project.slug}/flags`);
});

test('single keys act on the page that is open, and can be switched off', async ({ owner, organization }) => {
  await organization.flag('new-nav');
  await owner.goto('/');
  const search = owner.getByRole('searchbox', { name: 'Search name, key, description or tag' });
  await expect(search).toBeVisible();
  await owner.keyboard.press('/');
  await expect(search).toBeFocused();
  await expect(search).toHaveValue('');
  await owner.keyboard.type('c?');
  await expect(search, 'a field takes keys as text').toHaveValue('c?');
  await search.fill('');
  await search.blur();
  await owner.keyboard.press('c');
  await expect(owner.getByRole('dialog', { name: 'Create a flag' })).toBeVisible();
  await owner.keyboard.press('Escape');
  await expect(owner.getByRole('dialog')).toHaveCount(0);

  await owner.keyboard.press('?');
  const keys = owner.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(keys.getByRole('term').filter({ hasText: 'Create a flag' })).toBeVisible();
  await keys.getByRole('switch', { name: 'Use single-key shortcuts' }).click();
  await keys.getByRole('button', { name: 'Close' }).click();
  await owner.keyboard.press('c');
  await owner.keyboard.press('?');
  await expect(owner.getByRole('dialog')).toHaveCount(0);
  await owner.keyboard.press('Control+K');
  await expect(owner.getByRole('dialog', { name: 'Search or jump to' })).toBeVisible();
});

test('the first key leads past the navigation', async ({ owner }) => {
  await owner.goto('/');
  await expect(owner.getByRole('heading', { name: 'No flags yet' })).toBeVisible();
  await owner.keyboard.press('Tab');
  await expect(owner.getByRole('link', { name: 'Skip to the content' })).toBeFocused();
  await owner.keyboard.press('Enter');
  await expect(owner.getByRole('main')).toBeFocused();
});
