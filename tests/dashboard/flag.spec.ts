import type { Page } from '@playwright/test';
import { contexts, inTurn } from './support/contexts';
import { choose, tabTo } from './support/forms';
import type { Organization } from './support/organization';
import { expect, test } from './support/test';

interface State {
  enabled: boolean;
  percentage_rollout: number | null;
  rules: { description?: string; percentage?: number; conditions?: unknown[] }[];
}

async function open(page: Page, { project }: Organization, key: string, search = 'env=dev'): Promise<void> {
  await page.goto(`/p/${project.slug}/flags/${key}?${search}`);
}

function stored(organization: Organization, key: string, slug = 'dev'): Promise<State> {
  const { owner, project } = organization;
  const { id } = organization.environment(slug);
  return owner.api.get(`/v1/projects/${project.id}/flags/${key}/environments/${id}`);
}

async function review(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Review and save' }).click();
}

test('a rule is written and saved by keyboard alone, and the edge follows it', async ({
  owner,
  organization,
}) => {
  await organization.flag('checkout');
  const program = await organization.program('dev');
  await open(owner, organization, 'checkout');
  const toggle = owner.getByRole('switch', { name: 'Development', exact: true });
  await expect(toggle).toBeVisible();
  await tabTo(owner, toggle);
  await owner.keyboard.press('Space');
  await tabTo(owner, owner.getByRole('button', { name: 'Add a rule' }));
  await owner.keyboard.press('Enter');
  await expect(owner.getByRole('combobox', { name: 'Attribute' })).toBeFocused();
  await owner.keyboard.press('Shift+Tab');
  await expect(owner.getByRole('textbox', { name: 'Name', exact: true })).toBeFocused();
  await owner.keyboard.type('Neighbours');
  await tabTo(owner, owner.getByRole('combobox', { name: 'Attribute' }));
  await owner.keyboard.type('country');
  await tabTo(owner, owner.getByRole('textbox', { name: 'Values for country' }));
  await owner.keyboard.type('DE');
  await owner.keyboard.press('Enter');
  await owner.keyboard.type('FR');
  await owner.keyboard.press('Enter');
  await tabTo(owner, owner.getByRole('button', { name: 'Review and save' }));
  await owner.keyboard.press('Enter');

  const dialog = owner.getByRole('dialog', { name: 'Change checkout in Development?' });
  await expect(dialog.getByRole('listitem')).toHaveText([
    'Switched on',
    /^Rule Neighbours added at place 1: country is one of DE, FR; serves true$/,
  ]);
  await tabTo(owner, dialog.getByRole('button', { name: 'Save in Development' }));
  await owner.keyboard.press('Enter');
  await expect(owner.getByText(/^checkout is saved in Development/)).toBeVisible();
  await expect(dialog).toHaveCount(0);

  await program.sees('checkout', true, { key: 'user-1', attributes: { country: 'FR' } });
  expect(await program.ask('checkout', { key: 'user-1', attributes: { country: 'US' } })).toMatchObject({
    value: false,
  });
});

test('rules move by keyboard, and the difference says so', async ({ owner, organization }) => {
  await organization.flag('checkout');
  const rule = (description: string, priority: number) => ({
    description,
    priority,
    conditions: [{ attribute: 'name', operator: 'eq', values: [description] }],
    segment_keys: [],
    percentage: 10_000,
    value: true,
    match_type: 'all',
  });
  await organization.set('checkout', 'dev', { enabled: true, rules: [rule('First', 0), rule('Second', 1)] });
  await open(owner, organization, 'checkout');
  const handle = owner.getByRole('button', { name: 'Move Second' });
  await handle.focus();
  await owner.keyboard.press('ArrowUp');
  await expect(owner.getByText('Second is now rule 1 of 2.')).toBeAttached();
  await expect(handle).toBeFocused();
  await owner.keyboard.press('s');
  const dialog = owner.getByRole('dialog', { name: 'Change checkout in Development?' });
  await expect(dialog.getByRole('listitem')).toHaveText([/^Rule \S+ moved from place \d to \d$/]);
  await dialog.getByRole('button', { name: 'Save in Development' }).click();
  await expect(owner.getByText(/^checkout is saved in Development/)).toBeVisible();
  const { rules } = await stored(organization, 'checkout');
  expect(rules.map(({ description }) => description)).toEqual(['Second', 'First']);
});

test('the service warns about a rule beside it, before it is saved', async ({
  owner,
  organization,
  watch,
}) => {
  await organization.flag('checkout');
  const rule = (description: string, conditions: unknown[]) => ({ description, conditions, value: true });
  const german = { attribute: 'country', operator: 'in', values: ['DE'] };
  await organization.set('checkout', 'dev', {
    enabled: true,
    rules: [rule('Germans', [german]), rule('Others', [])],
  });
  await open(owner, organization, 'checkout');
  await expect(owner.getByText('No users are left: rule 2 serves everyone.')).toBeVisible();
  const never = owner.getByText('Never reached: rule 1 serves everyone whom it matches.');
  await expect(never).toHaveCount(0);
  await owner.getByRole('button', { name: 'Move Others' }).press('ArrowUp');
  await expect(never).toBeVisible();
  await expect(owner.getByText('No users are left: rule 1 serves everyone.')).toBeVisible();
  await owner.getByRole('button', { name: 'Discard' }).click();
  await expect(never).toHaveCount(0);

  watch.expect(400);
  await owner.getByRole('button', { name: 'Edit Germans' }).click();
  await choose(owner, /Operator$/, /^matches/);
  await owner.getByRole('textbox', { name: 'Values for country' }).fill('(?=D)');
  await owner.keyboard.press('Enter');
  await expect(owner.getByText('Values must be regular expressions of bounded size.').first()).toBeVisible();
});

test('the difference reads as sentences, the JSON is behind a tab', async ({ owner, organization }) => {
  await organization.flag('checkout');
  await organization.set('checkout', 'dev', { enabled: true, percentage_rollout: 1000 });
  await open(owner, organization, 'checkout');
  await owner.getByRole('textbox', { name: 'Percentage' }).fill('25');
  await review(owner);
  const dialog = owner.getByRole('dialog', { name: 'Change checkout in Development?' });
  await expect(dialog.getByRole('listitem')).toHaveText(['Rollout: 10% → 25%']);
  await dialog.getByRole('tab', { name: 'JSON' }).click();
  await expect(dialog.getByRole('region', { name: 'JSON' })).toContainText('"percentage_rollout": 2500');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await owner.getByRole('button', { name: 'Discard' }).click();
  await expect(owner.getByRole('textbox', { name: 'Percentage' })).toHaveValue('10');
});

test('two people who change different things lose nothing', async ({ owner, organization, browserOf }) => {
  await organization.flag('checkout');
  const other = await (await browserOf(await organization.invite('developer'))).newPage();
  await open(owner, organization, 'checkout');
  await open(other, organization, 'checkout');

  // Typed, not saved.
  await choose(owner, /Rollout$/, /^A percentage of users/);
  await owner.getByRole('textbox', { name: 'Percentage' }).fill('30');

  await other.getByRole('switch', { name: 'Development', exact: true }).click();
  await review(other);
  await other.getByRole('button', { name: 'Save in Development' }).click();
  await expect(other.getByText(/^checkout is saved in Development/)).toBeVisible();

  await expect(owner.getByText(/^Changed .* by Max developer\.$/)).toBeVisible();
  await expect(owner.getByRole('textbox', { name: 'Percentage' })).toHaveValue('30');
  await review(owner);
  const meanwhile = owner.getByRole('dialog', { name: 'Someone else saved changes' });
  await expect(
    meanwhile.getByText('Your changes and theirs do not overlap, so both are kept.'),
  ).toBeVisible();
  await expect(meanwhile.getByText('Switched on').first()).toBeVisible();
  await meanwhile.getByRole('button', { name: 'Continue with the new version' }).click();
  await owner.getByRole('button', { name: 'Save in Development' }).click();
  await expect(owner.getByText(/^checkout is saved in Development/)).toBeVisible();
  expect(await stored(organization, 'checkout')).toMatchObject({ enabled: true, percentage_rollout: 3000 });
});

test('what two people both changed is chosen, never overwritten', async ({ owner, organization, watch }) => {
  await organization.flag('checkout');
  await organization.set('checkout', 'dev', { enabled: true, percentage_rollout: 1000 });
  await open(owner, organization, 'checkout');
  await owner.getByRole('textbox', { name: 'Percentage' }).fill('25');
  await review(owner);
  watch.expect(412);
  // While the write is on its way, another one arrives.
  await owner.route('**/environments/*', async route => {
    if (route.request().method() === 'PUT')
      await organization.set('checkout', 'dev', { percentage_rollout: 5000 });
    await route.continue();
  });
  await owner.getByRole('button', { name: 'Save in Development' }).click();
  const meanwhile = owner.getByRole('dialog', { name: 'Someone else saved changes' });
  await expect(meanwhile).toBeVisible();
  await owner.unrouteAll();
  expect(await stored(organization, 'checkout')).toMatchObject({ percentage_rollout: 5000 });
  await expect(meanwhile.getByRole('button', { name: 'Continue with the new version' })).toBeDisabled();
  await meanwhile.getByRole('radio', { name: /^Keep yours/ }).check();
  await meanwhile.getByRole('button', { name: 'Continue with the new version' }).click();
  await expect(owner.getByRole('dialog').getByRole('listitem')).toHaveText(['Rollout: 50% → 25%']);
  await owner.getByRole('button', { name: 'Save in Development' }).click();
  await expect(owner.getByText(/^checkout is saved in Development/)).toBeVisible();
  expect(await stored(organization, 'checkout')).toMatchObject({ percentage_rollout: 2500 });
});

test('what is not saved is not left by accident', async ({ owner, organization }) => {
  await organization.flag('checkout');
  await open(owner, organization, 'checkout');
  await owner.getByRole('switch', { name: 'Development', exact: true }).click();
  await owner.getByRole('link', { name: 'All flags' }).click();
  const leave = owner.getByRole('dialog', { name: 'Leave without saving?' });
  await leave.getByRole('button', { name: 'Stay' }).click();
  await expect(owner.getByRole('switch', { name: 'Development', exact: true })).toBeChecked();
  await owner.getByRole('link', { name: 'All flags' }).click();
  await leave.getByRole('button', { name: 'Discard and leave' }).click();
  await expect(owner.getByRole('switch', { name: 'checkout in Development' })).not.toBeChecked();
});

test('restoring a version gives the earlier answers', async ({ owner, organization }) => {
  await organization.flag('plan', { flag_type: 'string', default_value: 'none' });
  const rules = (values: string[], percentage: number) => [
    {
      description: 'Some',
      priority: 0,
      conditions: [{ attribute: 'country', operator: 'in', values }],
      segment_keys: [],
      percentage,
      value: `${values.join('-')} ${percentage}`,
      match_type: 'all',
    },
  ];
  await organization.set('plan', 'dev', {
    enabled: true,
    default_value: 'basic',
    rules: rules(['DE', 'FR'], 5000),
  });
  const program = await organization.program('dev');
  const asked = contexts(50, 7);
  const ask = () => Promise.all(asked.map(async context => (await program.ask('plan', context)).value));
  const before = await ask();
  await organization.set('plan', 'dev', { default_value: 'free', rules: rules(['US', 'FR'], 9000) });
  expect(await ask()).not.toEqual(before);

  await open(owner, organization, 'plan', 'env=dev&tab=history');
  const entries = owner.getByRole('list', { name: 'Versions, the newest first' });
  await expect(entries.getByText('Current version')).toBeVisible();
  await owner.getByRole('button', { name: 'Compare or restore version 2' }).click();
  await owner.getByRole('button', { name: 'Restore version 2', exact: true }).click();
  const dialog = owner.getByRole('dialog');
  await expect(dialog.getByRole('listitem').first()).toContainText('"free" → "basic"');
  await dialog.getByRole('textbox', { name: 'Comment (optional)' }).fill('The new prices were wrong');
  await dialog.getByRole('button', { name: 'Restore version 2', exact: true }).click();
  await expect(owner.getByText(/restored|is as it was/i).first()).toBeVisible();
  await expect.poll(ask).toEqual(before);
  await expect(entries.getByText(/restored an earlier version/)).toBeVisible();
  await expect(entries.getByText('“The new prices were wrong”')).toBeVisible();
});

test('a kill and the way back in a protected environment', async ({ owner, organization }) => {
  await organization.flag('checkout');
  await organization.set('checkout', 'production', { enabled: true, percentage_rollout: 1000 });
  const { id } = organization.environment('production');
  await organization.owner.api.put(`/v1/projects/${organization.project.id}/environments/${id}`, {
    protected: true,
  });
  await open(owner, organization, 'checkout', 'env=production');
  await owner.getByRole('button', { name: 'Kill in Production' }).click();
  const question = owner.getByRole('dialog', { name: 'Kill checkout' });
  await question.getByRole('textbox', { name: 'Type production to confirm' }).fill('Production');
  await question.getByRole('button', { name: 'Kill in Production' }).click();
  const done = owner.getByRole('dialog', { name: 'checkout is off in Production' });
  await expect(done.getByRole('status')).toHaveText(/^Off on/);
  await expect(done.getByRole('button', { name: 'Turn on again' })).toHaveCount(0);
  await done.getByRole('button', { name: 'Close' }).click();

  await owner.getByRole('tab', { name: 'History' }).click();
  await owner.getByRole('button', { name: 'Compare or restore version 2' }).click();
  await owner.getByRole('button', { name: 'Restore version 2', exact: true }).click();
  const dialog = owner.getByRole('dialog');
  await expect(dialog.getByRole('button', { name: 'Restore version 2' })).toBeDisabled();
  await dialog.getByRole('textbox', { name: 'Comment (optional)' }).fill('The fix is out');
  await dialog.getByRole('button', { name: 'Request approval' }).click();
  await expect(owner.getByText(/^Approval requested/)).toBeVisible();
  await owner.getByRole('link', { name: '1 approval pending' }).click();
  await owner.getByRole('button', { name: 'Show your request that waits' }).click();
  await expect(owner.getByText('The fix is out')).toBeVisible();
});

test('a draft is explained as the edge answers after saving, for 200 contexts', async ({
  owner,
  organization,
}) => {
  await organization.owner.api.post(`/v1/projects/${organization.project.id}/segments`, {
    key: 'adults',
    name: 'Adults',
    rules: [{ attribute: 'age', operator: 'gte', values: ['18'] }],
  });
  await organization.flag('plan', { flag_type: 'string', default_value: 'none' });
  await organization.set('plan', 'dev', {
    enabled: false,
    default_value: 'basic',
    percentage_rollout: 1000,
    rules: [
      {
        description: 'Adults abroad',
        priority: 0,
        conditions: [{ attribute: 'country', operator: 'notIn', values: ['US'] }],
        segment_keys: ['adults'],
        percentage: 4000,
        value: 'abroad',
        match_type: 'all',
      },
      {
        description: 'Insiders',
        priority: 1,
        conditions: [
          { attribute: 'plan', operator: 'startsWith', values: ['in'] },
          { attribute: 'version', operator: 'gt', values: ['2.1.0'] },
        ],
        segment_keys: [],
        percentage: 10_000,
        value: 'insider',
        match_type: 'any',
      },
    ],
  });
  const program = await organization.program('dev');
  await open(owner, organization, 'plan');
  await owner.getByRole('switch', { name: 'Development', exact: true }).click();
  await owner.getByRole('textbox', { name: 'Percentage' }).fill('55.5');
  await owner.getByRole('button', { name: 'Edit Insiders' }).click();
  await owner.getByRole('textbox', { name: 'Rollout' }).fill('70');

  const before = await stored(organization, 'plan');
  const state = {
    ...before,
    enabled: true,
    percentage_rollout: 5550,
    rules: before.rules.with(1, { ...before.rules[1], percentage: 7000 }),
  };
  const asked = contexts(200, 3);
  const explained = await inTurn(asked, context => explain(organization, state, context));

  await owner.getByRole('tab', { name: 'Explain' }).click();
  const draft = owner.getByRole('article', { name: 'Your draft' });
  await owner.getByRole('tab', { name: 'JSON' }).click();
  for (const [index, context] of asked.slice(0, 12).entries()) {
    await owner.getByRole('textbox', { name: 'Context as JSON' }).fill(JSON.stringify(context));
    await expect(draft).toContainText(JSON.stringify(explained[index]?.value));
    await expect(draft).toContainText(String(explained[index]?.reason));
  }

  await owner.getByRole('tab', { name: 'Targeting' }).click();
  await review(owner);
  await owner.getByRole('button', { name: 'Save in Development' }).click();
  await expect(owner.getByText(/^plan is saved in Development/)).toBeVisible();
  expect(await stored(organization, 'plan')).toMatchObject({
    rules: state.rules,
    percentage_rollout: 5550,
    enabled: true,
  });
  const answers = await inTurn(asked, context => program.ask('plan', context));
  const told = answers.map(({ value, reason }) => ({ value, reason }));
  expect(told).toEqual(explained);
  expect(new Set(told.map(({ value }) => value)).size, 'the contexts differ enough').toBeGreaterThan(2);
});

async function explain(organization: Organization, state: unknown, context: unknown) {
  const { result } = await organization.owner.api.post<{ result: { value: unknown; reason: string } }>(
    '/v1/explain',
    {
      project_id: organization.project.id,
      env_id: organization.environment('dev').id,
      flag_key: 'plan',
      context,
      state,
    },
  );
  return { value: result.value, reason: result.reason };
}

test('a kill under load shows its wave', async ({ owner, organization }) => {
  await organization.flag('checkout');
  await organization.set('checkout', 'production', { enabled: true, default_value: true });
  const program = await organization.program('production');
  await program.sees('checkout', true);
  const answers: { at: number; value: unknown }[] = [];
  let isOver = false;
  const load = Promise.all(
    [1, 2, 3, 4].map(async worker => {
      while (!isOver) {
        const { value } = await program.ask('checkout', { key: `user-${worker}-${answers.length}` });
        answers.push({ at: Date.now(), value });
      }
    }),
  );
  await open(owner, organization, 'checkout', 'env=production');
  await expect(owner.getByRole('banner').getByRole('status').first()).toHaveText('Live');
  await owner.getByRole('button', { name: 'Kill in Production' }).click();
  const question = owner.getByRole('dialog', { name: 'Kill checkout' });
  await expect(question).toContainText('false, the flag’s default value');
  await question.getByRole('button', { name: 'Kill in Production' }).click();
  const done = owner.getByRole('dialog', { name: 'checkout is off in Production' });
  const status = done.getByRole('status');
  await expect(status).toHaveText(/^Off on (\d+) of \1 edges? after [\d,]+ ms$/);
  const shownAt = Date.now();
  await expect.poll(() => answers.filter(({ at }) => at > shownAt + 500).length).toBeGreaterThan(20);
  isOver = true;
  await load;
  const late = answers.filter(({ at, value }) => at > shownAt + 500 && value !== false);
  expect(late, 'nobody gets it any more').toEqual([]);
  expect(answers.some(({ value }) => value === true)).toBe(true);

  await done.getByRole('button', { name: 'Turn on again' }).click();
  await expect(owner.getByRole('dialog', { name: 'checkout is on again in Production' })).toBeVisible();
  await expect(owner.getByRole('dialog').getByRole('status')).toHaveText(/^Serving on (\d+) of \1 edges?/);
  await program.sees('checkout', true);
});

test('who may only look is told so, and can change nothing', async ({ organization, browserOf }) => {
  await organization.flag('checkout');
  const viewer = await (await browserOf(await organization.invite('viewer'))).newPage();
  await open(viewer, organization, 'checkout');
  await expect(
    viewer.getByText('You can view flags, not change them. Ask an owner or admin for access.'),
  ).toBeVisible();
  await expect(viewer.getByRole('button', { name: 'Add a rule' })).toHaveCount(0);
  await expect(viewer.getByRole('button', { name: /^Kill/ })).toHaveCount(0);
  await expect(viewer.getByRole('switch', { name: 'Development', exact: true })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
});

test('a flag that was deleted says who did that', async ({ owner, organization, watch }) => {
  await organization.flag('checkout');
  await organization.owner.api.delete(`/v1/projects/${organization.project.id}/flags/checkout`);
  watch.expect(404);
  await open(owner, organization, 'checkout');
  await expect(owner.getByRole('heading', { name: 'The flag “checkout” was deleted' })).toBeVisible();
  await expect(owner.getByText(/Ada Lovelace/).first()).toBeVisible();
});

test('a flag is archived by typing its key, restored, and deleted for good', async ({
  owner,
  organization,
  watch,
}) => {
  await organization.flag('checkout');
  await organization.set('checkout', 'dev', { enabled: true, default_value: true });
  const program = await organization.program('dev');
  await open(owner, organization, 'checkout', 'env=dev&tab=settings');
  await owner.getByRole('button', { name: 'Archive the flag' }).click();
  const dialog = owner.getByRole('dialog', { name: 'Archive checkout?' });
  const confirm = dialog.getByRole('button', { name: 'Archive the flag' });
  await expect(confirm).toBeDisabled();
  await dialog.getByRole('textbox', { name: 'Type checkout to confirm' }).fill('checkout');
  await confirm.click();
  await expect(owner.getByText('checkout is archived.')).toBeVisible();
  await expect(owner.getByRole('heading', { name: 'Archived' })).toBeVisible();
  await program.sees('checkout', null);

  await owner.getByRole('link', { name: 'All flags' }).click();
  await expect(owner.getByRole('rowheader', { name: 'checkout' })).toHaveCount(0);
  await owner.getByRole('link', { name: 'Archived flags' }).click();
  await owner.getByRole('button', { name: 'Restore checkout' }).click();
  await owner
    .getByRole('dialog', { name: 'Restore checkout?' })
    .getByRole('button', { name: 'Restore' })
    .click();
  await expect(owner.getByText('checkout is restored.')).toBeVisible();
  await expect(owner.getByRole('heading', { name: 'No archived flags' })).toBeVisible();
  await program.sees('checkout', true);

  await organization.owner.api.post(`/v1/projects/${organization.project.id}/flags/checkout/archive`);
  await open(owner, organization, 'checkout');
  await owner.getByRole('button', { name: 'Delete checkout for good' }).click();
  const last = owner.getByRole('dialog', { name: 'Delete checkout for good?' });
  await last.getByRole('textbox', { name: 'Type checkout to confirm' }).fill('checkout');
  // The stream may tell the page before the answer does.
  watch.expect(404);
  await last.getByRole('button', { name: 'Delete for good' }).click();
  await expect(owner).toHaveURL(`/p/${organization.project.slug}/flags`);
  await expect(owner.getByText('checkout is deleted.')).toBeVisible();
});

test('a flag that somebody deletes while another person edits it keeps what was typed until they leave', async ({
  owner,
  organization,
  watch,
}) => {
  await organization.flag('checkout');
  await open(owner, organization, 'checkout');
  await expect(owner.getByText('Live', { exact: true })).toBeVisible();
  await choose(owner, /Rollout$/, /^A percentage of users/);
  await owner.getByRole('textbox', { name: 'Percentage' }).fill('30');
  watch.expect(404);
  await organization.owner.api.delete(`/v1/projects/${organization.project.id}/flags/checkout`);
  const said = owner.getByRole('alert').filter({ hasText: 'Someone else deleted this flag.' });
  await expect(said).toBeVisible();
  await expect(owner.getByRole('textbox', { name: 'Percentage' })).toHaveValue('30');
  await said.getByRole('button', { name: 'Leave and see who deleted it' }).click();
  await expect(owner.getByRole('heading', { name: 'The flag “checkout” was deleted' })).toBeVisible();
});
