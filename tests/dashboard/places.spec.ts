import { choose } from './support/forms';
import { Organization, Program } from './support/organization';
import { expect, test } from './support/test';

const rule = {
  description: 'Beta',
  priority: 0,
  conditions: [],
  segment_keys: ['beta'],
  percentage: 10_000,
  value: true,
  match_type: 'all',
};

test('a segment is made, and before it changes it says which flags do', async ({ owner, organization }) => {
  const project = `/p/${organization.project.slug}`;
  await owner.goto(`${project}/segments`);
  await owner.getByRole('button', { name: 'Create a segment' }).click();
  const create = owner.getByRole('dialog', { name: 'Create a segment' });
  await create.getByRole('textbox', { name: 'Name' }).fill('Beta');
  await expect(create.getByRole('textbox', { name: 'Key' })).toHaveValue('beta');
  await create.getByRole('button', { name: 'Create' }).click();
  await expect(owner).toHaveURL(`${project}/segments/beta`);
  await expect(
    owner.getByText('No flag uses it. A change has no effect until a rule names it.'),
  ).toBeVisible();

  await organization.flag('checkout');
  await organization.set('checkout', 'production', { enabled: true, rules: [rule] });
  const program = await organization.program('production');
  const used = owner.getByRole('region', { name: 'Used by' });
  await expect(used.getByText('1 flag in 1 environment')).toBeVisible();
  await expect(used.getByRole('link', { name: 'checkout' })).toBeVisible();

  await owner.getByRole('button', { name: 'Add a condition' }).click();
  await owner.getByRole('combobox', { name: 'Attribute' }).fill('plan');
  await owner.getByRole('textbox', { name: 'Values for plan' }).fill('beta');
  await owner.getByRole('textbox', { name: 'Values for plan' }).press('Enter');
  await owner.getByRole('button', { name: 'Save', exact: true }).click();
  const review = owner.getByRole('dialog', { name: 'Save beta?' });
  await expect(review.getByText('Added the condition plan is one of beta')).toBeVisible();
  await expect(review.getByText('1 flag in 1 environment changes at once:')).toBeVisible();
  await review.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(owner.getByText('beta is saved.')).toBeVisible();
  await program.sees('checkout', true, { key: 'user-1', attributes: { plan: 'beta' } });
  expect(await program.ask('checkout', { key: 'user-1', attributes: { plan: 'free' } })).toMatchObject({
    value: false,
  });
});

test('an environment is made, its key is shown once, and it works', async ({ owner, organization }) => {
  const project = `/p/${organization.project.slug}`;
  await organization.setPlan('enterprise');
  await organization.flag('checkout');
  await owner.goto(`${project}/environments`);
  await owner.getByRole('button', { name: 'Create an environment' }).click();
  const create = owner.getByRole('dialog', { name: 'Create an environment' });
  await create.getByRole('textbox', { name: 'Name' }).fill('Quality');
  await expect(create.getByRole('textbox', { name: 'Slug' })).toHaveValue('quality');
  await create.getByRole('button', { name: 'Create' }).click();
  await expect(owner.getByText('Quality is created. Every flag is off in it.')).toBeVisible();

  await owner.goto(`${project}/environments/quality/keys`);
  await owner.getByRole('button', { name: 'Create an API key' }).first().click();
  const make = owner.getByRole('dialog', { name: 'Create an API key' });
  await make.getByRole('textbox', { name: 'Name' }).fill('shop backend');
  await make.getByRole('button', { name: 'Create the key' }).click();
  const shown = owner.getByRole('dialog', { name: 'Copy the key now' });
  const key = ((await shown.getByRole('region', { name: 'API key' }).textContent()) ?? '').trim();
  await owner.keyboard.press('Escape');
  await owner.mouse.click(5, 5);
  await expect(shown).toBeVisible();
  await shown.getByRole('button', { name: 'I have kept it' }).click();
  await expect(shown).toHaveCount(0);
  expect(await owner.content(), 'it is gone from the page').not.toContain(key);
  await owner.reload();
  await expect(owner.getByRole('table', { name: 'API keys in use' })).toContainText('shop backend');
  expect(await owner.content()).not.toContain(key);

  const program = new Program(key);
  await expect
    .poll(() => program.ask('checkout').catch(String))
    .toMatchObject({ value: false, reason: 'DISABLED' });
  const { data } = await organization.owner.api.get<{ data: { id: string; slug: string }[] }>(
    `/v1/projects/${organization.project.id}/environments`,
  );
  const id = data.find(({ slug }) => slug === 'quality')?.id;
  await organization.owner.api.put(
    `/v1/projects/${organization.project.id}/flags/checkout/environments/${id}`,
    {
      enabled: true,
      default_value: true,
    },
  );
  await program.sees('checkout', true);
});

test('a key is revoked by typing its name, and its programs are refused', async ({ owner, organization }) => {
  const program = await organization.program('dev');
  await organization.flag('checkout');
  await program.sees('checkout', false);
  await owner.goto(`/p/${organization.project.slug}/environments/dev/keys`);
  await owner.getByRole('button', { name: /^Revoke test/ }).click();
  const dialog = owner.getByRole('dialog', { name: 'Revoke test?' });
  const revoke = dialog.getByRole('button', { name: 'Revoke the key' });
  await expect(revoke).toBeDisabled();
  await dialog.getByRole('textbox', { name: 'Type test to confirm' }).fill('test');
  await revoke.click();
  await expect(owner.getByText('test is revoked.')).toBeVisible();
  await expect.poll(() => program.ask('checkout').catch(String)).toMatch(/401/);
});

test('a key is rotated, and both work for a while', async ({ owner, organization }) => {
  const program = await organization.program('dev');
  await organization.flag('checkout');
  await owner.goto(`/p/${organization.project.slug}/environments/dev/keys`);
  await owner.getByRole('button', { name: /^Rotate test/ }).click();
  const dialog = owner.getByRole('dialog', { name: 'Rotate test?' });
  await choose(owner, /The old key goes on for/, 'One day');
  await dialog.getByRole('button', { name: 'Rotate the key' }).click();
  const shown = owner.getByRole('dialog', { name: 'Copy the key now' });
  const key = ((await shown.getByRole('region', { name: 'API key' }).textContent()) ?? '').trim();
  await shown.getByRole('button', { name: 'I have kept it' }).click();
  await new Program(key).sees('checkout', false);
  await program.sees('checkout', false);
  await expect(owner.getByRole('table', { name: 'API keys in use' })).toContainText(/in (23|24):/);
});

test('a limit of the plan is told before it is hit', async ({ owner, organization }) => {
  await organization.setPlan('free');
  await owner.goto(`/p/${organization.project.slug}/environments`);
  await expect(owner.getByText(/of your plan|that your plan has/).first()).toBeVisible();
  await expect(owner.getByRole('button', { name: 'Create an environment' })).toBeDisabled();
});

test('who may not manage keys is told who may', async ({ organization, browserOf, watch }) => {
  watch.expect(403);
  const developer = await (await browserOf(await organization.invite('developer'))).newPage();
  await developer.goto(`/p/${organization.project.slug}/environments/dev/keys`);
  await expect(developer.getByText(/may not/).first()).toBeVisible();
  await expect(developer.getByText(/Owners? and Admins?|owner or admin/i).first()).toBeVisible();
});

test('things of another organization are not there', async ({ owner, organization, watch }) => {
  const other = await Organization.register();
  await other.flag('secret');
  watch.expect(404);
  await owner.goto(`/p/${other.project.id}/flags/secret`);
  await expect(owner.getByRole('heading', { name: /^There is no project/ })).toBeVisible();
  await owner.goto(`/p/${organization.project.slug}/flags/secret`);
  await expect(owner.getByRole('heading', { name: 'There is no flag “secret”' })).toBeVisible();
  await owner.goto(`/p/${organization.project.slug}/segments/secret`);
  await expect(owner.getByRole('heading', { name: 'There is no segment “secret”' })).toBeVisible();
});

test('a project is deleted by typing its slug', async ({ owner, organization }) => {
  await organization.flag('checkout');
  await owner.goto(`/p/${organization.project.slug}/settings`);
  await owner.getByRole('button', { name: 'Delete the project' }).click();
  const dialog = owner.getByRole('dialog');
  await expect(dialog.getByText('1 flag, with their states in every environment')).toBeVisible();
  await dialog.getByRole('textbox', { name: /^Type .* to confirm$/ }).fill(organization.project.slug);
  await dialog.getByRole('button', { name: 'Delete the project' }).click();
  await expect(owner.getByText(/ is deleted\.$/)).toBeVisible();
  await expect(owner.getByRole('heading', { name: 'No project' })).toBeVisible();
});
