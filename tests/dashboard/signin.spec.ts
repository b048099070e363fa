import { Caller } from './support/api';
import { signIn } from './support/forms';
import { PASSWORD, type Person } from './support/organization';
import { expect, test } from './support/test';
import { totp } from './support/totp';

test('a person is asked to sign in and led to where they wanted to go', async ({
  page,
  organization,
  watch,
}) => {
  watch.expect(401);
  await page.goto('/settings/security');
  await expect(page).toHaveURL('/login?next=%2Fsettings%2Fsecurity');
  await signIn(page, organization.owner.email, PASSWORD);
  await expect(page).toHaveURL('/settings/security');
  await expect(page.getByRole('heading', { name: 'Security', level: 1 })).toBeVisible();
});

test('after a sign-in nobody is led elsewhere', async ({ organization, browserOf }) => {
  for (const next of ['https://evil.test/', '//evil.test', '/\\evil.test', 'javascript:alert(1)']) {
    const page = await (await browserOf(null)).newPage();
    await page.goto(`/login?next=${encodeURIComponent(next)}`);
    await signIn(page, organization.owner.email, PASSWORD);
    await expect(page).toHaveURL(`/p/${organization.project.slug}/flags`);
    await page.close();
  }
});

test('a wrong password and an unknown address read the same, and nothing typed is lost', async ({
  page,
  organization,
  watch,
}) => {
  watch.expect(401);
  await page.goto('/login');
  for (const email of [organization.owner.email, 'nobody@example.com']) {
    await signIn(page, email, 'Wrong-Horse-7');
    await expect(page.getByRole('alert')).toHaveText('Wrong email or password.');
    await expect(page.getByRole('textbox', { name: 'Email' })).toHaveValue(email);
    await expect(page.getByRole('textbox', { name: 'Password' })).toHaveValue('Wrong-Horse-7');
  }
});

test('too many attempts are counted down', async ({ page, organization, watch }) => {
  const { email } = organization.owner;
  for (let attempts = 0; attempts < 10; attempts += 1) {
    await new Caller().ask('POST', '/v1/auth/login', { email, password: 'Wrong-Horse-7' });
  }
  watch.expect(429);
  await page.goto('/login');
  await signIn(page, email, PASSWORD);
  const timer = page.getByRole('alert').getByRole('timer');
  await expect(timer).toHaveText(/^You can try again in 14:5\d\.$/);
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeDisabled();
  const shown = (await timer.textContent()) ?? '';
  await expect(timer).not.toHaveText(shown);
});

test.describe('with a second factor', () => {
  interface Enrolment {
    secret: string;
    backup_codes: string[];
  }

  async function enrol(person: Person): Promise<Enrolment> {
    const caller = (await person.proven()).api;
    const enrolment = await caller.post<Enrolment>('/v1/auth/mfa/enable');
    await caller.post('/v1/auth/mfa/verify', { code: totp(enrolment.secret) });
    return enrolment;
  }

  test('the code of the app is asked for after the password', async ({ page, organization, watch }) => {
    const { secret } = await enrol(organization.owner);
    watch.expect(401, 403);
    await page.goto('/login');
    await signIn(page, organization.owner.email, PASSWORD);
    await expect(page.getByRole('heading', { name: 'Two-factor authentication' })).toBeVisible();

    const code = page.getByRole('textbox', { name: 'Six-digit code' });
    await expect(code).toBeFocused();
    await code.fill('000000');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(code).toHaveAccessibleDescription(/^This code is wrong or was used before/);

    await code.fill(totp(secret, 1));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page).toHaveURL(`/p/${organization.project.slug}/flags`);
  });

  test('a backup code works once', async ({ page, organization, browserOf, watch }) => {
    const [backup = ''] = (await enrol(organization.owner)).backup_codes;
    watch.expect(401, 403);
    const enter = async (on: typeof page) => {
      await on.goto('/login');
      await signIn(on, organization.owner.email, PASSWORD);
      await on.getByRole('button', { name: 'Use a backup code' }).click();
      await on.getByRole('textbox', { name: 'Backup code' }).fill(backup);
      await on.getByRole('button', { name: 'Sign in' }).click();
    };
    await enter(page);
    await expect(page).toHaveURL(`/p/${organization.project.slug}/flags`);

    const again = await (await browserOf(null)).newPage();
    await enter(again);
    await expect(again.getByRole('textbox', { name: 'Backup code' })).toHaveAccessibleDescription(
      /^This code is wrong/,
    );
  });
});

test('a token in the address signs in once and is gone from it', async ({
  page,
  organization,
  browserOf,
  watch,
}) => {
  const { token } = await organization.owner.api.post<{ token: string }>('/v1/auth/one-time-token');
  const asked: string[] = [];
  page.on('request', request => asked.push(request.url()));
  await page.goto(`/login/handoff#${token}`);
  await expect(page).toHaveURL(`/p/${organization.project.slug}/flags`);
  expect(asked.filter(url => new URL(url).hash === '' && url.includes(token))).toEqual([]);
  await page.goBack();
  expect(page.url()).not.toContain(token);

  watch.expect(401);
  const again = await (await browserOf(null)).newPage();
  await again.goto(`/login/handoff#${token}`);
  await expect(again.getByRole('heading', { name: 'This link no longer works' })).toBeVisible();
});

test('the link of the verification mail leads to the sign-in, which says so', async ({
  page,
  organization,
}) => {
  const link = /http\S+verify-email\S+/.exec(await organization.owner.mails.next())?.[0];
  await page.goto(link ?? '');
  await expect(page).toHaveURL(/\/login\?verified=true/);
  await expect(page.getByRole('status')).toHaveText('Your email is verified. Sign in to continue.');
});
