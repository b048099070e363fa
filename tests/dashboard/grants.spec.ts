import { checkAccessibility } from './support/axe';
import { choose } from './support/forms';
import { expect, test } from './support/test';

test('a grant is given, saves rollouts without approval within its budget, and is withdrawn', async ({
  owner,
  organization,
  browserOf,
  watch,
}) => {
  const { project } = organization;
  const production = organization.environment('production');
  await organization.flag('checkout', { tags: ['web'] });
  await organization.set('checkout', 'production', { enabled: true, percentage_rollout: 1000 });
  await organization.owner.api.put(`/v1/projects/${project.id}/environments/${production.id}`, {
    protected: true,
  });
  const developer = await organization.invite('developer');

  await owner.goto(`/p/${project.slug}/environments`);
  const section = owner.getByRole('region', { name: 'Grants' });
  await expect(section).toContainText('Every change in a protected environment needs approval.');
  await section.getByRole('button', { name: 'Give a grant' }).click();
  const form = owner.getByRole('dialog', { name: 'Give a grant' });
  await form.getByRole('textbox', { name: 'Name' }).fill('Web rollouts');
  await choose(owner, /Holder$/, 'Max developer');
  await form.getByRole('textbox', { name: 'Tags' }).fill('web, mobile');
  await form.getByRole('textbox', { name: /Raise percentages/ }).fill('101');
  await expect(form).toContainText('Enter a number from 0 to 100.');
  await expect(form.getByRole('button', { name: 'Give a grant' })).toBeDisabled();
  await form.getByRole('textbox', { name: /Raise percentages/ }).fill('10');
  await form.getByRole('button', { name: 'Give a grant' }).click();
  const row = section.getByRole('row').filter({ hasText: 'Web rollouts' });
  await expect(row).toContainText('Max developer');
  await expect(row).toContainText('for flags tagged web and mobile');
  await expect(row).toContainText('10 of 10 points');

  const theirs = await (await browserOf(developer)).newPage();
  await theirs.goto(`/p/${project.slug}/flags/checkout?env=production`);
  const raise = async (to: string) => {
    await theirs.getByRole('textbox', { name: 'Percentage' }).fill(to);
    await theirs.getByRole('button', { name: 'Review and save' }).click();
  };
  await raise('16');
  const dialog = theirs.getByRole('dialog', { name: 'Change checkout in Production?' });
  await expect(dialog).toContainText('Your grant “Web rollouts”: 10 of 10 points are left.');
  await dialog.getByRole('button', { name: 'Save in Production' }).click();
  await expect(theirs.getByText(/^checkout is saved in Production/)).toBeVisible();

  watch.expect(403);
  await raise('22');
  await expect(dialog).toContainText('4 of 10 points are left.');
  await dialog.getByRole('button', { name: 'Save in Production' }).click();
  await expect(dialog).toContainText(
    'Web rollouts: this raises by 6 points; 4 are left of 10 in 3600 seconds',
  );
  await dialog.getByRole('button', { name: 'Request approval' }).click();
  await expect(theirs.getByText(/^Approval requested/)).toBeVisible();

  await owner.reload();
  await expect(row).toContainText('4 of 10 points');
  await row.getByRole('button', { name: 'Withdraw Web rollouts' }).click();
  await owner.getByRole('button', { name: 'Withdraw the grant' }).click();
  await expect(owner.getByText('Web rollouts is withdrawn.')).toBeVisible();
  await expect(section).toContainText('Every change in a protected environment needs approval.');
});

test('a grant is edited, and keeps what the form does not show', async ({ owner, organization }) => {
  const { project } = organization;
  await organization.invite('developer');
  const { data } = await organization.owner.api.get<{ data: { member_id: string; name: string }[] }>(
    '/v1/team',
  );
  const holder = data.find(({ name }) => name === 'Max developer')?.member_id;
  const hours = { days: ['saturday'], from: '09:00', until: '17:00', time_zone: 'Europe/Berlin' };
  const given = {
    name: 'Weekend',
    env_id: organization.environment('production').id,
    holder: { kind: 'member', id: holder },
    tags: ['web', 'mobile'],
    max_raise: 250,
    window_seconds: 1800,
    lower: true,
    kill: false,
    hours,
    ends_at: '2099-01-01T00:00:00Z',
  };
  const path = `/v1/projects/${project.id}/grants`;
  const { id } = await organization.owner.api.post<{ id: string }>(path, given);

  await owner.goto(`/p/${project.slug}/environments`);
  await owner.getByRole('button', { name: 'Edit Weekend' }).click();
  const form = owner.getByRole('dialog', { name: 'Edit Weekend' });
  await expect(form.getByRole('button', { name: /Holder$/ })).toContainText('Max developer');
  await expect(form.getByRole('button', { name: /Per$/ })).toContainText('30 minutes');
  await expect(form).toContainText('Move percentages only on Sat, 09:00 to 17:00 (Europe/Berlin)');
  await checkAccessibility(owner, 'a grant, edited');
  await form.getByRole('textbox', { name: /Raise percentages/ }).fill('7.5');
  await form.getByRole('textbox', { name: 'Tags' }).fill('web');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(owner.getByText('Weekend is saved.')).toBeVisible();
  await expect(owner.getByRole('row').filter({ hasText: 'Weekend' })).toContainText('7.5 of 7.5 points');
  expect(await organization.owner.api.get(`${path}/${id}`)).toMatchObject({
    ...given,
    max_raise: 750,
    tags: ['web'],
  });
});
