import type { Page } from '@playwright/test';
import { choose } from './support/forms';
import type { Organization } from './support/organization';
import { expect, test } from './support/test';

interface Rule {
  id: string;
  description: string;
  conditions: { attribute: string; operator: string; values: string[] }[];
  value: unknown;
  percentage: number;
}

async function open(page: Page, { project }: Organization, key: string): Promise<void> {
  await page.goto(`/p/${project.slug}/flags/${key}?env=dev`);
}

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByRole('button', { name: 'Save in Development' }).click();
  await expect(page.getByText(/is saved in Development/)).toBeVisible();
}

test('users who are named one by one get their value before any rule', async ({ owner, organization }) => {
  await organization.flag('checkout');
  await organization.set('checkout', 'dev', {
    enabled: true,
    rules: [{ description: 'Nobody', conditions: [], value: false }],
  });
  const program = await organization.program('dev');
  await open(owner, organization, 'checkout');
  await owner.getByRole('button', { name: 'Add users', exact: true }).click();
  const keys = owner.getByRole('textbox', { name: 'User keys' });
  await expect(keys).toBeFocused();
  await keys.fill('ada');
  await keys.press('Enter');
  await keys.fill('bob');
  await keys.press('Enter');
  await expect(owner.getByRole('group', { name: 'ada and bob get true' })).toBeVisible();
  await owner.getByRole('button', { name: 'Add users with another value' }).click();
  const others = owner.getByRole('group', { name: 'Users who get false' });
  await others.getByRole('textbox', { name: 'User keys' }).fill('carl');
  await others.getByRole('textbox', { name: 'User keys' }).press('Enter');
  await save(owner);

  const stored = await organization.owner.api.get<{ rules: Rule[] }>(
    `/v1/projects/${organization.project.id}/flags/checkout/environments/${organization.environment('dev').id}`,
  );
  expect(stored.rules.map(({ conditions, value, percentage }) => [conditions, value, percentage])).toEqual([
    [[{ attribute: 'key', operator: 'in', values: ['ada', 'bob'] }], true, 10_000],
    [[{ attribute: 'key', operator: 'in', values: ['carl'] }], false, 10_000],
    [[], false, 10_000],
  ]);
  await program.sees('checkout', true, { key: 'ada' });
  await program.sees('checkout', false, { key: 'eve' });

  // Stored as rules, they are lists again when the page is opened anew.
  await owner.reload();
  await expect(owner.getByRole('group', { name: 'ada and bob get true' })).toBeVisible();
  await expect(owner.getByRole('button', { name: 'Edit Nobody' })).toBeVisible();
  await expect(owner.getByRole('button', { name: /^Edit Individual/ })).toHaveCount(0);
});

test('lists are pasted from a spreadsheet, and split where their author says so', async ({
  owner,
  organization,
}) => {
  await organization.flag('checkout');
  await open(owner, organization, 'checkout');
  await owner.getByRole('button', { name: 'Add users', exact: true }).click();
  const keys = owner.getByRole('textbox', { name: 'User keys' });
  const paste = (text: string) =>
    keys.evaluate((input, data) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', data);
      input.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, text);
  await paste('ada\tbob\ncarl');
  const list = owner.getByRole('list', { name: 'User keys' });
  await expect(list.getByRole('listitem')).toHaveText(['ada', 'bob', 'carl']);
  await keys.fill('CH;FR; NL');
  await keys.press('Enter');
  await expect(list.getByRole('listitem')).toHaveText(['ada', 'bob', 'carl', 'CH;FR; NL']);
  await owner.getByRole('button', { name: 'Split at semicolons' }).click();
  await expect(list.getByRole('listitem')).toHaveText(['ada', 'bob', 'carl', 'CH', 'FR', 'NL']);
});

test('a rule on keys that is being written stays a rule, and an empty list is not saved', async ({
  owner,
  organization,
}) => {
  await organization.flag('plan', { flag_type: 'string', default_value: 'basic' });
  await open(owner, organization, 'plan');
  await owner.getByRole('button', { name: 'Add a rule' }).click();
  await owner.getByRole('combobox', { name: 'Attribute' }).fill('key');
  await owner.keyboard.press('Tab');
  await owner.getByRole('textbox', { name: 'Values for key' }).fill('ada');
  await owner.keyboard.press('Enter');
  await expect(owner.getByRole('button', { name: 'Close Rule 1' })).toBeVisible();
  await owner.getByRole('button', { name: 'Discard' }).click();

  await owner.getByRole('button', { name: 'Add users', exact: true }).click();
  await owner.getByRole('button', { name: 'Review and save' }).click();
  await expect(owner.getByText('Enter at least one value.')).toBeVisible();
  await owner.getByRole('button', { name: /^Remove the users who get/ }).click();
  await expect(owner.getByRole('button', { name: 'Review and save' })).toHaveCount(0);
});

test('a schedule that does nothing says so', async ({ owner, organization }) => {
  await organization.flag('checkout');
  await organization.set('checkout', 'dev', { enabled: true });
  await open(owner, organization, 'checkout');
  await owner.getByRole('button', { name: 'Turn on at: In 1 hour' }).click();
  await expect(owner.getByText('The flag is on already, so this does nothing.')).toBeVisible();
  await owner.getByRole('button', { name: 'Clear “Turn on at”' }).click();
  await owner.getByRole('button', { name: 'Turn off at: Tomorrow 9:00' }).click();
  await expect(owner.getByLabel('Turn off at', { exact: true })).toHaveValue(/T09:00$/);
  await expect(owner.getByText(/does nothing/)).toHaveCount(0);
});

test('a schedule is set in a chosen time zone, and says what clocks skip or repeat there', async ({
  owner,
  organization,
}) => {
  await organization.flag('checkout');
  await open(owner, organization, 'checkout');
  const at = owner.getByLabel('Turn on at', { exact: true });
  const zone = owner.getByRole('combobox', { name: 'Time zone' });
  await expect(zone).toHaveValue('UTC');
  await at.fill('2031-12-24T09:00');
  await zone.fill('tokyo');
  await expect(owner.getByText('Choose a time zone from the list.')).toBeVisible();
  await owner.getByRole('option', { name: 'Asia/Tokyo' }).click();
  await expect(at, 'the instant stays').toHaveValue('2031-12-24T18:00');
  await zone.fill('Europe/Berlin');
  await at.fill('2031-03-30T02:30');
  await expect(owner.getByText('Clocks in Europe/Berlin skip 2031-03-30 02:30.')).toBeVisible();
  await expect(at).toHaveValue('2031-03-30T03:30');
  await at.fill('2031-10-26T02:30');
  await expect(owner.getByText('show this time twice that day. This is the first time.')).toBeVisible();
  await expect(owner.getByText(/^26 Oct 2031, 00:30 UTC$|^Oct 26, 2031, 12:30.AM UTC$/)).toBeVisible();
  await at.fill('2001-01-01T09:00');
  await expect(owner.getByText('This time has passed')).toBeVisible();
  await at.fill('2031-12-24T09:00');
  await owner.getByRole('button', { name: 'Review and save' }).click();
  await owner.getByRole('dialog').getByRole('button', { name: 'Save in Development' }).click();
  await expect(owner.getByText(/^checkout is saved in Development/)).toBeVisible();
  const { id } = organization.environment('dev');
  const path = `/v1/projects/${organization.project.id}/flags/checkout/environments/${id}`;
  expect(await organization.owner.api.get(path)).toMatchObject({
    scheduled_enable_at: '2031-12-24T08:00:00Z',
  });
});

test('all environments are compared side by side, and promoted from there', async ({
  owner,
  organization,
}) => {
  await organization.flag('checkout');
  await organization.set('checkout', 'dev', { enabled: true, percentage_rollout: 2500 });
  await open(owner, organization, 'checkout');
  await owner.getByRole('tab', { name: 'All environments' }).click();
  const table = owner.getByRole('table', { name: 'The flag in all environments' });
  const production = table.getByRole('row').filter({ hasText: 'Production' });
  await expect(production).toContainText('Switched off');
  await expect(production).toContainText('25% → not set');
  await production.getByRole('button', { name: 'Promote here: Development to Production' }).click();
  const dialog = owner.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Comment (optional)' }).fill('Tested');
  await dialog.getByRole('button', { name: 'Promote to Production' }).click();
  await expect(production).toContainText('No differences');
  await owner.getByRole('button', { name: 'Undo' }).click();
  await expect(owner.getByText('Restored the earlier state of checkout in Production.')).toBeVisible();
  await expect(production).toContainText('25% → not set');
  // An environment and a tab are places: Back leads to the one before.
  await table.getByRole('link', { name: 'Staging' }).click();
  await expect(owner).toHaveURL(/env=staging/);
  await owner.goBack();
  await expect(owner).toHaveURL(/env=dev&tab=environments/);
  await owner.goBack();
  await expect(owner.getByRole('heading', { name: 'Rules' })).toBeVisible();
});

test('prerequisites are chosen from the flags, and a missing one is pointed out', async ({
  owner,
  organization,
}) => {
  await organization.flag('checkout');
  await organization.flag('express', { prerequisites: ['gone'] });
  await organization.flag('gift-wrap', { prerequisites: ['express'] });
  await owner.goto(`/p/${organization.project.slug}/flags/express?env=dev`);
  await owner.getByRole('link', { name: 'Requires 1 flag, required by 1 flag' }).click();
  await expect(owner.getByText('There is no flag with the key gone.')).toBeVisible();
  const card = owner.getByRole('region', { name: 'Dependencies' });
  await expect(
    card.getByRole('img', { name: /^Picture: requires 1 flag, required by 1 flag/ }),
  ).toBeVisible();
  await expect(card.getByRole('link', { name: 'gift-wrap' })).toBeVisible();
  await expect(card.getByText('There is no flag with this key')).toBeVisible();

  await owner.getByRole('button', { name: 'Remove gone' }).click();
  const field = owner.getByRole('combobox', { name: 'Add a flag' });
  await field.fill('check');
  await owner.getByRole('option', { name: 'checkout' }).click();
  await owner.getByRole('button', { name: 'Review and save' }).click();
  await expect(owner.getByRole('dialog').getByRole('listitem')).toHaveText([
    'Removed the prerequisite gone',
    'Added the prerequisite checkout',
  ]);
  await owner.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  await expect(card.getByRole('link', { name: 'checkout' })).toBeVisible();
  await expect(owner.getByText('There is no flag with the key gone.')).toHaveCount(0);
});

test('the owner of a flag is in its header, and is set there', async ({ owner, organization }) => {
  await organization.flag('checkout');
  const developer = await organization.invite('developer');
  await open(owner, organization, 'checkout');
  await expect(owner.getByText('Unowned')).toBeVisible();
  await owner.getByRole('button', { name: 'Set owner' }).click();
  const dialog = owner.getByRole('dialog', { name: 'Owner of checkout' });
  const member = dialog.getByRole('combobox', { name: 'Member' });
  // Members are offered from the first letter on that is typed once they are there.
  await expect(async () => {
    await member.fill('');
    await member.fill('max');
    await owner.getByRole('option', { name: developer.name }).click({ timeout: 1000 });
  }).toPass();
  await dialog.getByRole('button', { name: 'Set owner' }).click();
  await expect(owner.getByText(`${developer.name} now owns checkout.`)).toBeVisible();
  await owner.getByRole('button', { name: 'Change owner' }).click();
  await dialog.getByRole('button', { name: 'Set me as owner' }).click();
  await owner.getByRole('link', { name: 'Owner: Ada Lovelace' }).click();
  await expect(owner.getByRole('heading', { level: 1 })).toHaveText('Ada Lovelace');
  await owner.goBack();
  await owner.getByRole('button', { name: 'Change owner' }).click();
  await dialog.getByRole('button', { name: 'Remove owner' }).click();
  await expect(owner.getByText('Unowned')).toBeVisible();
});

test('the switch is within the first 240 pixels of the page', async ({ owner, organization }) => {
  await organization.flag('checkout', { name: 'New checkout', description: 'In one step.', tags: ['shop'] });
  await open(owner, organization, 'checkout');
  const toggle = owner.getByRole('switch', { name: 'Development', exact: true });
  await expect(toggle).toBeVisible();
  const box = await toggle.boundingBox();
  expect(box?.y ?? 999).toBeLessThan(240);
});

test('variants of an A/B flag are split evenly and keep their colour', async ({ owner, organization }) => {
  await organization.flag('colour', { flag_type: 'ab', default_value: { colour: 'grey' } });
  await open(owner, organization, 'colour');
  await expect(owner.getByText('No variants yet, so everyone gets the value below.')).toBeVisible();
  for (const key of ['red', 'green', 'blue']) {
    await owner.getByRole('button', { name: 'Add a variant' }).click();
    await owner.getByRole('textbox', { name: 'Key' }).last().fill(key);
  }
  await owner.getByRole('button', { name: 'Split evenly' }).click();
  await expect(owner.getByText('Total: 100%.')).toBeVisible();
  const bar = owner.getByRole('img', { name: /^red 33\.\d+%, green 33\.\d+%, blue 33\.\d+%$/ });
  const tones = await bar
    .locator('span')
    .evaluateAll(parts => parts.map(part => getComputedStyle(part).backgroundColor));
  expect(new Set(tones).size).toBe(3);
  await choose(owner, /Rollout$/, 'A percentage of users');
});
