import { Organization, Program } from './support/organization';
import { expect, test } from './support/test';

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
