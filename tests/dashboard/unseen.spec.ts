import { expect, test } from './support/test';

test('a difference shows characters that turn text about', async ({ owner, organization }) => {
  await organization.flag('plan', { flag_type: 'string', default_value: 'none' });
  await organization.set('plan', 'dev', { enabled: true, default_value: 'basic' });
  await organization.set('plan', 'dev', { default_value: '\u202Ecisab\u200B' });
  await owner.goto(`/p/${organization.project.slug}/flags/plan?env=dev&tab=history`);
  await owner.getByRole('button', { name: 'Compare or restore version 2' }).click();
  await owner.getByRole('button', { name: /^Restore/ }).click();
  const change = owner.getByRole('dialog').getByRole('listitem').first();
  await expect(change).toContainText('"\\u202Ecisab\\u200B" → "basic"');
  await owner.getByRole('dialog').getByRole('tab', { name: 'JSON' }).click();
  await expect(owner.getByRole('dialog').getByText('"\\u202Ecisab\\u200B"')).toBeVisible();
});

test('a rule reads as it is stored, whatever its name and values do to text', async ({
  owner,
  organization,
}) => {
  await organization.flag('checkout', { name: 'Pay \u2066now' });
  const rule = {
    description: '\u202Eateb',
    priority: 0,
    value: true,
    conditions: [{ attribute: 'country', operator: 'eq', values: ['\u202EED'] }],
  };
  await organization.set('checkout', 'dev', { enabled: true, rules: [rule] });
  await owner.goto(`/p/${organization.project.slug}/flags/checkout?env=dev`);
  const card = owner.getByRole('listitem').filter({ has: owner.getByRole('button', { name: /^Edit / }) });
  await expect(card).toContainText('\\u202Eateb');
  await expect(card).toContainText(/country .*\\u202EED/);
  await expect(owner.getByRole('heading', { level: 1 })).toHaveText('Pay \\u2066now');
  await expect(card.getByText(/country .*\\u202EED/)).toHaveCSS('unicode-bidi', 'isolate');
  await card.getByRole('button', { name: /^Edit / }).click();
  await expect(owner.getByRole('list', { name: /country/ }).getByRole('listitem')).toContainText('\\u202EED');

  // A message and the title of a dialog as well.
  await owner.goto(`/p/${organization.project.slug}/flags`);
  await owner.getByRole('switch', { name: /in Production$/ }).click();
  await expect(owner.getByRole('dialog')).toHaveAccessibleName('Turn on Pay \\u2066now in Production?');
});
