import { Caller } from './support/api';
import { Organization, Program } from './support/organization';
import { place } from './support/places';
import { expect, test } from './support/test';

const at = ({ project }: Organization) => `/p/${project.slug}/environments`;

test('an environment is made, and a slug that moves is typed', async ({ owner, organization }) => {
  await organization.flag('checkout');
  const program = await organization.program('dev');
  const client = (slug: string) =>
    new Caller(place.edge).ask('GET', `/v1/client/${slug}/flags?key=u`, undefined, {
      'x-api-key': program.key,
    });
  await expect.poll(async () => (await client('dev')).status).toBe(200);

  await owner.goto(at(organization));
  await owner.getByRole('button', { name: 'Create an environment' }).click();
  const create = owner.getByRole('dialog', { name: 'Create an environment' });
  await create.getByRole('textbox', { name: 'Name' }).fill('EU West');
  await expect(create.getByRole('textbox', { name: 'Slug' })).toHaveValue('eu-west');
  await create.getByText('Violet').click();
  await expect(create.getByRole('textbox', { name: 'Hex code' })).toHaveValue('#8b5cf6');
  await create.getByRole('button', { name: 'Create an environment' }).click();
  await expect(owner.getByRole('table').getByRole('row').filter({ hasText: 'EU West' })).toContainText(
    'eu-west',
  );

  await owner.getByRole('button', { name: 'Edit Development' }).click();
  const edit = owner.getByRole('dialog', { name: 'Edit Development' });
  await edit.getByRole('textbox', { name: 'Slug' }).fill('develop');
  await expect(edit.getByText(/Apps that still use dev are refused/)).toBeVisible();
  const save = edit.getByRole('button', { name: 'Save' });
  await expect(save).toBeDisabled();
  await edit.getByRole('textbox', { name: 'Type dev to confirm' }).fill('dev');
  await save.click();
  await expect(owner.getByText('Development is saved.')).toBeVisible();
  await expect.poll(async () => (await client('develop')).status).toBe(200);
  expect((await client('dev')).status).toBe(403);
  await program.sees('checkout', false);
});

test('the list says where changes need approval', async ({ owner, organization }) => {
  await owner.goto(at(organization));
  const row = owner.getByRole('row').filter({ hasText: 'Production' });
  await expect(row).toContainText('Take effect directly');
  await owner.getByRole('button', { name: 'Edit Production' }).click();
  const edit = owner.getByRole('dialog', { name: 'Edit Production' });
  await expect(edit.getByRole('button', { name: /Required approvals/ })).toHaveCount(0);
  await edit.getByText('Require approval for changes').click();
  await edit.getByRole('button', { name: /Required approvals/ }).click();
  await owner.getByRole('option', { name: '2 people' }).click();
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(row).toContainText('Need 2 approvals');
});

test('two people edit one environment, and choose what both changed', async ({
  owner,
  organization,
  watch,
}) => {
  watch.expect(412);
  const { id } = organization.environment('staging');
  const path = `/v1/projects/${organization.project.id}/environments/${id}`;
  await owner.goto(at(organization));
  await owner.getByRole('button', { name: 'Edit Staging' }).click();
  const edit = owner.getByRole('dialog', { name: 'Edit Staging' });
  await edit.getByRole('textbox', { name: 'Name' }).fill('Rehearsal');
  await organization.owner.api.put(path, { name: 'Acceptance', color: '#123456' });
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(edit.getByText(/^Someone else saved changes\./)).toBeVisible();
  await expect(edit.getByRole('textbox', { name: 'Hex code' })).toHaveValue('#123456');
  await edit.getByText('Theirs', { exact: true }).click();
  await expect(edit.getByRole('textbox', { name: 'Name' })).toHaveValue('Acceptance');
  await edit.getByText('Mine', { exact: true }).click();
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(owner.getByText('Rehearsal is saved.')).toBeVisible();
  expect(await organization.owner.api.get(path)).toMatchObject({ name: 'Rehearsal', color: '#123456' });
});

test('deleting an environment tells what is lost with it', async ({ owner, organization }) => {
  await organization.flag('checkout');
  const program = await organization.program('staging');
  await program.sees('checkout', false);
  await owner.goto(at(organization));
  await owner.getByRole('button', { name: 'Delete Staging' }).click();
  const dialog = owner.getByRole('dialog', { name: 'Delete Staging?' });
  await expect(dialog.getByText(/^the states of 1 flag here/)).toBeVisible();
  await expect(dialog.getByText(/^1 API key in use: test\./)).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Type staging to confirm' }).fill('staging');
  await dialog.getByRole('button', { name: 'Delete the environment' }).click();
  await expect(owner.getByText('Staging is deleted.')).toBeVisible();
  await expect(owner.getByRole('table').getByText('staging')).toHaveCount(0);
});

test('a limit of the plan is told before it is hit', async ({ owner, organization }) => {
  await organization.setPlan('free');
  await owner.goto(at(organization));
  await expect(
    owner.getByText('Your plan allows 2 environments in each project; this one has 3.'),
  ).toBeVisible();
  await expect(owner.getByRole('button', { name: 'Create an environment' })).toBeDisabled();
  await owner.getByRole('button', { name: /^Project: / }).click();
  await owner.getByRole('menuitem', { name: 'Create a project' }).click();
  const dialog = owner.getByRole('dialog', { name: 'Create a project' });
  await expect(dialog.getByText('Your plan allows 1 project; you have 1.')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Create a project' })).toBeDisabled();
});

test('a project is made, moved and deleted', async ({ owner }) => {
  await owner.goto('/');
  await owner.getByRole('button', { name: /^Project: / }).click();
  await owner.getByRole('menuitem', { name: 'Create a project' }).click();
  const create = owner.getByRole('dialog', { name: 'Create a project' });
  await create.getByRole('textbox', { name: 'Name' }).fill('Mobile app');
  await create.getByRole('button', { name: 'Create a project' }).click();
  await expect(
    owner.getByText('Created Mobile app, with the environments Development and Production.'),
  ).toBeVisible();
  await expect(owner).toHaveURL('/p/mobile-app/flags');
  await expect(owner.getByRole('heading', { name: 'No flags yet' })).toBeVisible();

  await owner.getByRole('link', { name: 'Project settings' }).click();
  await owner.getByRole('textbox', { name: 'Slug' }).fill('mobile');
  await expect(owner.getByText(/change from \/p\/mobile-app to \/p\/mobile,/)).toBeVisible();
  await owner.getByRole('button', { name: 'Save' }).click();
  await expect(owner).toHaveURL('/p/mobile/settings');

  await owner.getByRole('button', { name: 'Delete the project' }).click();
  const dialog = owner.getByRole('dialog', { name: 'Delete Mobile app?' });
  await expect(dialog.getByText('0 flags, with their states in every environment')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Type mobile to confirm' }).fill('mobile');
  await dialog.getByRole('button', { name: 'Delete the project' }).click();
  await expect(owner).toHaveURL('/p/default/flags');
  await expect(owner.getByRole('button', { name: 'Project: Default Project' })).toBeVisible();
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
  await shown.getByRole('button', { name: "I've saved it" }).click();
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
