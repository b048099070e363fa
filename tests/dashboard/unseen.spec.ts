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
