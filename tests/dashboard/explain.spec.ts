import type { Page } from '@playwright/test';
import { choose } from './support/forms';
import type { Organization } from './support/organization';
import { expect, test } from './support/test';

async function open(page: Page, organization: Organization, more = ''): Promise<void> {
  await page.goto(`/p/${organization.project.slug}/flags/checkout?env=dev&tab=explain${more}`);
}

const DUTCH = { conditions: [{ attribute: 'country', operator: 'in', values: ['NL'] }], value: true };

test('the answer follows what is typed, as a form and as JSON', async ({ owner, organization }) => {
  await organization.flag('checkout');
  await organization.set('checkout', 'dev', { enabled: true, rules: [DUTCH] });
  await open(owner, organization);
  const stored = owner.getByRole('article', { name: 'Stored' });
  await expect(stored).toContainText('Attribute missing');
  await expect(stored).toContainText('No rule matches this user');

  await owner.getByRole('button', { name: 'Add the attributes in the rules: country' }).click();
  await expect(owner.getByRole('textbox', { name: 'Value' })).toBeFocused();
  await owner.keyboard.type('NL');
  await expect(stored).toContainText('Rule 1 matches.');
  await expect(stored).toContainText('Seen: "NL"');

  await owner.getByRole('tab', { name: 'JSON' }).click();
  const json = owner.getByRole('textbox', { name: 'Context as JSON' });
  await expect(json).toHaveValue(/"country": "NL"/);
  await json.fill('{"key": "user-7", "attributes": {"country": "US"}');
  await expect(json).toHaveAccessibleDescription(/This is not JSON/);
  await expect(owner.getByText(/The answer is to what was there before/)).toBeVisible();
  await json.fill('{"key": "user-7", "attributes": {"country": "US"}}');
  await expect(stored).toContainText('Seen: "US"');
  await owner.getByRole('tab', { name: 'Form' }).click();
  await expect(owner.getByRole('textbox', { name: 'Key' })).toHaveValue('user-7');
});

test('rules that were tried stand below one another', async ({ owner, organization }) => {
  await organization.flag('checkout');
  const rules = ['NL', 'DE', 'CH'].map(country => ({
    ...DUTCH,
    conditions: [{ attribute: 'country', operator: 'in', values: [country] }],
  }));
  await organization.set('checkout', 'dev', { enabled: true, rules });
  await open(owner, organization);
  const tried = owner.getByRole('article', { name: 'Stored' }).getByRole('heading', { name: /^Rule \d$/ });
  await expect(tried).toHaveCount(3);
  const places = await tried.evaluateAll(all => all.map(one => one.getBoundingClientRect().left));
  expect(new Set(places).size).toBe(1);
});

test('a context that the service refuses is told in its words', async ({ owner, organization, watch }) => {
  await organization.flag('checkout');
  watch.expect(400);
  await open(owner, organization);
  await owner.getByRole('textbox', { name: 'Key' }).fill('');
  await expect(owner.getByRole('alert')).toHaveText('Key is required.');
});

test('a link carries the context where no server sees it', async ({ owner, organization }) => {
  await organization.flag('checkout');
  const asked: string[] = [];
  owner.on('request', request => {
    if (request.url().includes('secret-user')) asked.push(request.url());
  });
  const context = encodeURIComponent(JSON.stringify({ key: 'secret-user', attributes: { plan: 'pro' } }));
  await open(owner, organization, `#context=${context}`);
  await expect(owner.getByRole('textbox', { name: 'Key' })).toHaveValue('secret-user');
  await expect(owner.getByRole('textbox', { name: 'Value' })).toHaveValue('pro');
  await expect(owner).toHaveURL(/tab=explain$/);
  expect(asked).toEqual([]);

  // Once it is answered, it is kept for the next visit, until it is forgotten.
  await expect(owner.getByRole('article', { name: 'Stored' })).toContainText('The flag is off here.');
  await owner.reload();
  await expect(owner.getByRole('textbox', { name: 'Key' })).toHaveValue('secret-user');
  await owner.getByText('Recent contexts (1)').click();
  await owner.getByRole('button', { name: 'Forget them' }).click();
  await expect(owner.getByText('Recent contexts (1)')).toHaveCount(0);
});

test('a draft and the past are explained beside what is stored', async ({ owner, organization }) => {
  await organization.flag('checkout');
  await organization.set('checkout', 'dev', { enabled: true });
  await owner.goto(`/p/${organization.project.slug}/flags/checkout?env=dev`);
  await owner.getByRole('switch', { name: 'Development', exact: true }).click();
  // While it is edited, for whoever was explained last.
  await expect(owner.getByText('true → false')).toBeVisible();

  await owner.getByRole('link', { name: 'Explain this' }).click();
  await expect(owner.getByText('Your draft gives this user another answer.')).toBeVisible();
  await expect(owner.getByRole('article', { name: 'Stored' })).toContainText('true');
  await expect(owner.getByRole('article', { name: 'Your draft' })).toContainText('The flag is off here.');

  await choose(owner, /Current version/, /^Version 1,/);
  await expect(owner).toHaveURL(/version=1/);
  await expect(owner.getByRole('article', { name: 'Version 1' })).toContainText('The flag is off here.');
});

test('a share is shown on the line of the buckets, and in words', async ({ owner, organization }) => {
  await organization.flag('checkout');
  await organization.set('checkout', 'dev', { enabled: true, percentage_rollout: 2500 });
  await open(owner, organization);
  const stored = owner.getByRole('article', { name: 'Stored' });
  await expect(stored).toContainText(/Bucket [\d,]+ of 10,000/);
  await expect(stored).toContainText('Rollout: below 2,500 (25%)');
});
