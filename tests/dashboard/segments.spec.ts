import type { Page } from '@playwright/test';
import { choose } from './support/forms';
import type { Organization } from './support/organization';
import { expect, test } from './support/test';

const TESTER = { key: 'user-1', attributes: { email: 'ada@acme.test' } };

function segmentsOf({ project }: Organization): string {
  return `/v1/projects/${project.id}/segments`;
}

/** A segment of those whose mail is at Acme, and a flag that serves them. */
async function beta(organization: Organization): Promise<void> {
  await organization.owner.api.post(segmentsOf(organization), {
    key: 'beta',
    name: 'Beta testers',
    rules: [{ attribute: 'email', operator: 'endsWith', values: ['@acme.test'] }],
  });
  await organization.flag('checkout');
  const state = { enabled: true, rules: [{ segment_keys: ['beta'], value: true }] };
  await organization.set('checkout', 'dev', state);
}

async function openBeta(page: Page, organization: Organization): Promise<void> {
  await page.goto(`/p/${organization.project.slug}/segments/beta`);
  await expect(page.getByText('1 flag in 1 environment')).toBeVisible();
}

const name = (page: Page) => page.getByRole('textbox', { name: 'Name', exact: true });

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page
    .getByRole('dialog', { name: /^Save / })
    .getByRole('button', { name: 'Save' })
    .click();
}

test('a segment is made, tested and saved, and the flags that name it change', async ({
  owner,
  organization,
}) => {
  await organization.flag('checkout');
  const state = { enabled: true, rules: [{ segment_keys: ['beta-testers'], value: true }] };
  await organization.set('checkout', 'dev', state);
  const program = await organization.program('dev');
  await program.sees('checkout', false, TESTER);

  await owner.goto(`/p/${organization.project.slug}/segments`);
  await expect(owner.getByRole('heading', { name: 'No segments yet' })).toBeVisible();
  await owner.getByRole('button', { name: 'Create a segment' }).click();
  const create = owner.getByRole('dialog', { name: 'Create a segment' });
  await create.getByRole('textbox', { name: 'Name' }).fill('Beta testers');
  await expect(create.getByRole('textbox', { name: 'Key' })).toHaveValue('beta-testers');
  await create.getByRole('button', { name: 'Create a segment' }).click();
  await expect(owner).toHaveURL(`/p/${organization.project.slug}/segments/beta-testers`);
  await expect(owner.getByText('1 flag in 1 environment')).toBeVisible();

  await owner.getByRole('button', { name: 'Add a condition' }).click();
  await owner.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(owner.getByText('Enter an attribute.')).toBeVisible();
  await owner.getByRole('combobox', { name: 'Attribute' }).fill('email');
  await owner.keyboard.press('Escape');
  await choose(owner, /Operator/, 'ends with');
  await owner.getByRole('textbox', { name: 'Values for email' }).fill('@acme.test');
  await owner.keyboard.press('Enter');

  await owner.getByRole('textbox', { name: 'email', exact: true }).fill('ada@acme.test');
  await owner.getByRole('button', { name: 'Test', exact: true }).click();
  await expect(owner.getByText('user-1 is in the segment.')).toBeVisible();
  await owner.getByRole('textbox', { name: 'email', exact: true }).fill('ada@other.test');
  await owner.getByRole('button', { name: 'Test', exact: true }).click();
  await expect(owner.getByText('user-1 is not in the segment.')).toBeVisible();

  await owner.getByRole('button', { name: 'Save', exact: true }).click();
  const review = owner.getByRole('dialog', { name: 'Save beta-testers?' });
  await expect(review.getByText('Added the condition email ends with @acme.test')).toBeVisible();
  await expect(review.getByText('1 flag in 1 environment changes right away:')).toBeVisible();
  await expect(review.getByRole('link', { name: 'checkout' })).toBeVisible();
  await review.getByRole('button', { name: 'Save' }).click();
  await expect(owner.getByText('beta-testers is saved.')).toBeVisible();
  await program.sees('checkout', true, TESTER);
});

test('two people change one segment, and nothing is lost', async ({ owner, organization, watch }) => {
  watch.expect(412);
  await beta(organization);
  await openBeta(owner, organization);
  await name(owner).fill('Mine');
  await owner.getByRole('textbox', { name: 'Description' }).fill('Written here');
  await organization.owner.api.put(`${segmentsOf(organization)}/beta`, {
    name: 'Theirs',
    rules: [{ attribute: 'email', operator: 'endsWith', values: ['@acme.test', '@acme.example'] }],
  });
  await save(owner);

  const meanwhile = owner.getByRole('dialog', { name: 'Someone else saved changes' });
  await expect(meanwhile.getByText('Added @acme.example to email ends with')).toBeVisible();
  const goOn = meanwhile.getByRole('button', { name: 'Continue with the new version' });
  await expect(goOn).toBeDisabled();
  await meanwhile.getByText('Name: Beta testers → Mine.').click();
  await goOn.click();
  await save(owner);
  await expect(owner.getByText('beta is saved.')).toBeVisible();
  const stored = await organization.owner.api.get<Record<string, unknown>>(
    `${segmentsOf(organization)}/beta`,
  );
  expect(stored).toMatchObject({
    name: 'Mine',
    description: 'Written here',
    rules: [{ values: ['@acme.test', '@acme.example'] }],
  });
});

test('a page without a draft follows what others save', async ({ owner, organization }) => {
  await beta(organization);
  await openBeta(owner, organization);
  await expect(owner.getByText('Live', { exact: true })).toBeVisible();
  await organization.owner.api.put(`${segmentsOf(organization)}/beta`, { name: 'Early birds' });
  await expect(owner.getByRole('heading', { name: 'Early birds', level: 1 })).toBeVisible();
  await expect(name(owner)).toHaveValue('Early birds');
});

test('a segment that somebody deletes says so to whoever has it open', async ({
  owner,
  organization,
  watch,
}) => {
  await beta(organization);
  await openBeta(owner, organization);
  await expect(owner.getByText('Live', { exact: true })).toBeVisible();
  watch.expect(404);
  await organization.owner.api.delete(`${segmentsOf(organization)}/beta`);
  const said = owner.getByRole('alert').filter({ hasText: 'Someone else deleted this segment.' });
  await said.getByRole('button', { name: 'Leave and see who deleted it' }).click();
  await expect(owner.getByRole('heading', { name: 'The segment “beta” was deleted' })).toBeVisible();
});

test('a segment in use is deleted by typing its key, another by a press', async ({ owner, organization }) => {
  await beta(organization);
  await organization.owner.api.post(segmentsOf(organization), { key: 'spare', name: 'Spare', rules: [] });
  await openBeta(owner, organization);
  await owner.getByRole('button', { name: 'Delete the segment' }).click();
  const used = owner.getByRole('dialog', { name: 'Delete beta?' });
  await expect(used.getByRole('link', { name: 'checkout' })).toBeVisible();
  const confirm = used.getByRole('button', { name: 'Delete the segment' });
  await expect(confirm).toBeDisabled();
  await used.getByRole('textbox', { name: 'Type beta to confirm' }).fill('beta');
  await confirm.click();
  await expect(owner).toHaveURL(`/p/${organization.project.slug}/segments`);
  await expect(owner.getByRole('table').getByRole('link')).toHaveText(['Spare']);

  await owner.getByRole('link', { name: 'Spare' }).click();
  await owner.getByRole('button', { name: 'Delete the segment' }).click();
  const spare = owner.getByRole('dialog', { name: 'Delete spare?' });
  await expect(spare.getByText('No flag uses it.')).toBeVisible();
  await spare.getByRole('button', { name: 'Delete the segment' }).click();
  await expect(owner.getByRole('heading', { name: 'No segments yet' })).toBeVisible();
});

test('who may only look is told why', async ({ organization, browserOf }) => {
  await beta(organization);
  const context = await browserOf(await organization.invite('viewer'));
  const page = await context.newPage();
  await openBeta(page, organization);
  await expect(
    page.getByText(/^Your role, Viewer, may not create, change or delete segments\./),
  ).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeDisabled();
  await expect(page.getByRole('button', { name: 'Delete the segment' })).toBeDisabled();
  await expect(page.getByRole('button', { name: 'Add a condition' })).toHaveCount(0);
});
