import type { Locator, Page } from '@playwright/test';
import { checkAccessibility } from './support/axe';
import { ExtraEdge, REGION } from './support/fleet';
import { choose } from './support/forms';
import { Organization } from './support/organization';
import { evaluate, isSampled, sample, whatIf } from './support/samples';
import { expect, test } from './support/test';

const ask = (where: Page | Locator) => where.getByRole('button', { name: 'What would this change?' });

/** Opens a flag, adds a rule for one value of an attribute, and reviews it. */
async function reviewRule(page: Page, organization: Organization, attribute: string, value: string) {
  await page.goto(`/p/${organization.project.slug}/flags/checkout?env=production`);
  await page.getByRole('button', { name: 'Add a rule' }).click();
  await page.getByRole('combobox', { name: 'Attribute' }).fill(attribute);
  await page.keyboard.press('Escape');
  await page.getByRole('textbox', { name: `Values for ${attribute}` }).fill(value);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Review and save' }).click();
  return page.getByRole('dialog', { name: 'Change checkout in Production?' });
}

/** A flag that is on for nobody, a segment that asks for plans, and somebody's program. */
async function shop(organization: Organization) {
  await organization.flag('checkout');
  await organization.owner.api.post(`/v1/projects/${organization.project.id}/segments`, {
    key: 'paying',
    name: 'Paying',
    rules: [{ attribute: 'plan', operator: 'in', values: ['team'] }],
  });
  await organization.set('checkout', 'production', { enabled: true, default_value: false });
  return organization.program('production');
}

test('sampling is switched on, and a rule is tried on real requests before it is saved', async ({
  owner,
  organization,
}) => {
  const program = await shop(organization);
  await owner.goto(`/p/${organization.project.slug}/environments`);
  await owner.getByRole('button', { name: 'Sampling of Production' }).click();
  await expect(owner).toHaveURL(/\?sampling=production$/);
  const setting = owner.getByRole('dialog', { name: 'Sampling of Production' });
  await expect(setting).toContainText('for 24 hours, in memory alone');
  await setting.getByRole('switch', { name: 'Keep samples of requests' }).click();
  await setting.getByRole('button', { name: 'Add plan' }).click();
  await expect(setting.getByRole('list', { name: 'Attributes to keep' })).toContainText('plan');
  await checkAccessibility(owner, 'sampling');
  await owner.setViewportSize({ width: 1280, height: 800 });
  await setting.getByRole('button', { name: 'Save' }).click();
  await expect(owner.getByText('Edges keep samples of requests in Production.')).toBeVisible();
  await isSampled(organization, 'production');
  await evaluate(program, { pro: 30, free: 90 });

  const review = await reviewRule(owner, organization, 'plan', 'pro');
  await choose(owner, /Count by$/, 'plan');
  await ask(review).focus();
  await owner.keyboard.press('Enter');
  await expect(review.getByRole('status').first()).toContainText(
    /^Over the last hour this would have changed 25% of answers \(.+ to .+\)\.About 30 of 120 answers, estimated from 120 samples\./,
  );
  const transitions = review.getByRole('table', { name: 'Answers that change' });
  await expect(transitions.getByRole('row').last().getByRole('cell')).toHaveText([
    'checkout',
    'false',
    'true',
    '30',
  ]);
  const groups = review.getByRole('table', { name: 'Answers by plan' });
  await expect(groups.getByRole('row').nth(1).getByRole('cell')).toHaveText(['“free”', '90', '0, 0%']);
  await expect(groups.getByRole('row').nth(2).getByRole('cell')).toHaveText(['“pro”', '30', '30, 100%']);
  await review.getByRole('switch', { name: /^Show up to 5 users/ }).click();
  await review.getByRole('button', { name: 'Ask again' }).click();
  const examples = review.getByRole('table', { name: 'Users whose answers change' });
  await expect(examples.getByRole('row')).toHaveCount(6);
  await expect(examples.getByRole('row').last().getByRole('cell')).toHaveText([
    /^[0-9a-f]+$/,
    'plan: “pro”',
    'checkout',
    'false',
    'true',
  ]);
  await checkAccessibility(owner, 'what if');
  await owner.setViewportSize({ width: 1280, height: 800 });
  await review.getByRole('button', { name: 'Save in Production' }).click();
  await program.sees('checkout', true, { key: 'pro-1', attributes: { plan: 'pro' } });

  const plain = await owner.context().newPage();
  await plain.goto(`/p/${organization.project.slug}/environments?sampling=production`);
  const again = plain.getByRole('dialog', { name: 'Sampling of Production' });
  await expect(again).toContainText('On since');
  await again.getByText('As they are', { exact: true }).click();
  await expect(again).toContainText('Saving drops the samples that edges have. New ones add up');
  await again.getByRole('button', { name: 'Save' }).click();
  await expect(again).toHaveCount(0);
  const path = `/v1/projects/${organization.project.id}/environments/production/sampling`;
  expect(await organization.owner.api.get(path)).toMatchObject({ attributes: ['plan'], keys: 'plain' });
});

test('what an estimate cannot know is said with it', async ({ owner, organization }) => {
  const program = await shop(organization);
  await sample(organization, 'production');
  const unasked = await reviewRule(owner, organization, 'country', 'DE');
  await ask(unasked).click();
  await expect(unasked).toContainText('Edges have no samples yet of requests that this can affect.');
  await unasked.getByRole('button', { name: 'Cancel' }).click();

  await evaluate(program, { pro: 3 });
  await owner.getByRole('button', { name: 'Review and save' }).click();
  await ask(unasked).click();
  await expect(unasked).toContainText('this would have changed no answer (0% to');
  const warning = unasked.getByRole('status').filter({ hasText: 'only 3 samples' });
  await expect(warning).toContainText('Edges do not keep country, which decides these answers.');
  await unasked.getByRole('button', { name: 'Cancel' }).click();
  await owner.getByRole('button', { name: 'Discard' }).click();

  const named = await reviewRule(owner, organization, 'key', 'pro-1');
  await ask(named).click();
  await expect(named).toContainText('Rules name users by key, and edges keep hashes of keys only');
});

test('a segment is tried in each environment where it is used', async ({ owner, organization }) => {
  const program = await shop(organization);
  const state = { enabled: true, default_value: false, rules: [{ segment_keys: ['paying'], value: true }] };
  for (const slug of ['production', 'staging']) await organization.set('checkout', slug, state);
  await sample(organization, 'production');
  await evaluate(program, { pro: 10, free: 30 });

  await owner.goto(`/p/${organization.project.slug}/segments/paying`);
  await owner.getByRole('textbox', { name: 'Values for plan' }).fill('pro');
  await owner.keyboard.press('Enter');
  await owner.getByRole('button', { name: 'Save', exact: true }).click();
  const review = owner.getByRole('dialog', { name: /^Save / });
  await expect(review).toContainText('Edges keep no samples of requests in Staging');
  await ask(review).click();
  await expect(review.getByRole('heading', { name: 'Production' })).toBeVisible();
  await expect(review).toContainText('Over the last hour this would have changed 25% of answers');
  await checkAccessibility(owner, 'what if, a segment');
  const link = review.getByRole('link', { name: /^Sampling of Staging/ });
  const [tab] = await Promise.all([owner.context().waitForEvent('page'), link.click()]);
  await expect(tab.getByRole('dialog', { name: 'Sampling of Staging' })).toBeVisible();
});

test('a change set is tried as a whole, environment by environment', async ({ owner, organization }) => {
  const program = await shop(organization);
  for (const slug of ['production', 'staging']) await sample(organization, slug);
  await evaluate(program, { pro: 20 });
  const on = { enabled: true, default_value: true };
  const { id } = await organization.owner.api.post<{ id: string }>(
    `/v1/projects/${organization.project.id}/change-sets`,
    { name: 'Launch', changes: { flags: [{ key: 'checkout', states: { production: on, staging: on } }] } },
  );
  await owner.goto(`/p/${organization.project.slug}/change-sets/${id}`);
  const card = owner.getByRole('region', { name: 'What would this change?' });
  await ask(card).click();
  await expect(card).toContainText('Over the last hour this would have changed 100% of answers');
  await expect(card.getByRole('heading', { level: 3 })).toHaveText(['Staging', 'Production']);
  await expect(card).toContainText('Edges have no samples yet of requests that this can affect.');
  await checkAccessibility(owner, 'what if, a change set');
});

test('who may not ask, or not change the setting, is told who may', async ({
  owner,
  organization,
  browserOf,
  watch,
}) => {
  await shop(organization);
  const { project } = organization;
  const production = organization.environment('production');
  await organization.owner.api.put(`/v1/projects/${project.id}/environments/${production.id}`, {
    protected: true,
  });
  const id = await organization.draft('Launch', ['checkout'], 'staging');
  const developer = await (await browserOf(await organization.invite('developer'))).newPage();
  const review = await reviewRule(developer, organization, 'plan', 'pro');
  await expect(review).toContainText('Edges keep no samples of requests in Production');
  await expect(review).toContainText('Ask Ada Lovelace to switch sampling on.');
  await expect(ask(review)).toHaveCount(0);
  await checkAccessibility(developer, 'what if, not sampled');
  await developer.goto(`/p/${project.slug}/environments?sampling=production`);
  const setting = developer.getByRole('dialog', { name: 'Sampling of Production' });
  await expect(setting).toContainText('so only owners and admins who may review them can change this');
  await expect(setting.getByRole('switch')).toHaveAttribute('aria-disabled', 'true');
  await expect(setting.getByRole('button', { name: 'Save' })).toHaveCount(0);

  const viewer = await (await browserOf(await organization.invite('viewer'))).newPage();
  await viewer.goto(`/p/${project.slug}/environments`);
  await viewer.getByRole('button', { name: 'Sampling of Staging' }).click();
  await expect(viewer.getByRole('dialog')).toContainText('Your role, Viewer, may not');
  await viewer.goto(`/p/${project.slug}/change-sets/${id}`);
  await expect(viewer.getByText(/^Owners, admins and developers who may read/)).toBeVisible();
  await expect(ask(viewer)).toHaveCount(0);

  watch.expect(400);
  await owner.goto(`/p/${project.slug}/environments?sampling=staging`);
  const chips = owner.getByRole('dialog').getByRole('textbox', { name: 'Attributes to keep' });
  await chips.fill(Array.from({ length: 21 }, (_, place) => `a${place}`).join(','));
  await chips.press('Enter');
  await owner.getByRole('button', { name: 'Save' }).click();
  await expect(owner.getByRole('alert')).toContainText('Attributes: at most 20.');
});

test('refusals are shown, and the next question waits', async ({ owner, organization, watch }) => {
  test.setTimeout(120_000);
  watch.expect(429);
  await shop(organization);
  await sample(organization, 'production');
  const changes = { flags: [{ key: 'checkout', states: { production: { default_value: true } } }] };
  let status = 201;
  while (status === 201) {
    ({ status } = await organization.owner.api.ask('POST', whatIf(organization, 'production'), { changes }));
  }
  expect(status).toBe(429);
  const review = await reviewRule(owner, organization, 'plan', 'pro');
  await ask(review).click();
  await expect(review).toContainText('At most 60 questions of an organization in an hour.');
  await expect(review.getByRole('timer')).toContainText(/^You can ask again in \d+:\d\d/);
  await expect(review.getByRole('button', { name: 'Ask again' })).toBeDisabled();
});

test('an edge that hangs is waited for, and named', async ({ browserOf, watch }) => {
  test.setTimeout(120_000);
  watch.expect(409);
  const organization = await Organization.register(REGION);
  const edge = await ExtraEdge.start(`what-if-${Date.now()}`);
  try {
    await evaluate(await shop(organization), { pro: 3 });
    await sample(organization, 'production');
    const browser = await browserOf(organization.owner);
    const [page, other] = [await browser.newPage(), await browser.newPage()];
    const review = await reviewRule(page, organization, 'plan', 'pro');
    const second = await reviewRule(other, organization, 'plan', 'free');
    edge.pause();
    await ask(review).click();
    await expect(ask(review)).toHaveAttribute('aria-disabled', 'true');
    await ask(second).click();
    await expect(second).toContainText('Another question of the organization is open');
    await expect(review).toContainText('Not all edges have answered yet.');
    await expect(review).toContainText(/Of \d edges, 1 did not answer\./);
  } finally {
    edge.resume();
    await edge.remove();
  }
});
