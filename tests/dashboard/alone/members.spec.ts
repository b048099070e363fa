import { expect, test } from '../support/test';

const MEMBERS = 1_000;
/** An organization uses a few connections of the database at a time. */
const AT_ONCE = 4;
/** Twice what is aimed at, as the others are: the machines that run this do other things as well. */
const USABLE_MS = 1_400;
const ELEMENTS = 1_200;
const TASK_MS = 200;

test('1,000 members are as quick as ten', async ({ owner, organization }) => {
  test.setTimeout(240_000);
  await organization.setPlan('enterprise');
  const { api } = organization.owner;
  const name = organization.id.slice(-8);
  for (let from = 1; from < MEMBERS; from += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, MEMBERS - from) }, (_, index) => from + index);
    await Promise.all(
      some.map(index => api.post('/v1/members/invite', { email: `member-${index}-${name}@example.com` })),
    );
  }
  const list = owner.getByRole('list', { name: 'Members' });
  // Once before, as the next visit finds the scripts in the browser's memory.
  await owner.goto('/team');
  await expect(owner.getByText('1,000 members')).toBeVisible();
  const began = Date.now();
  await owner.goto('/team');
  await list.getByRole('listitem').first().waitFor();
  expect(Date.now() - began, 'milliseconds until the first member').toBeLessThanOrEqual(USABLE_MS);
  const elements = await owner.evaluate(() => document.querySelectorAll('*').length);
  expect(elements).toBeLessThanOrEqual(ELEMENTS);

  const longest = await owner.evaluate(async () => {
    let longest = 0;
    const observer = new PerformanceObserver(entries => {
      for (const { duration } of entries.getEntries()) longest = Math.max(longest, duration);
    });
    observer.observe({ type: 'longtask' });
    for (let step = 0; step < 40; step += 1) {
      window.scrollBy(0, 1_500);
      await new Promise(resolve => setTimeout(resolve, 50));
    }
    observer.disconnect();
    return longest;
  });
  expect(longest, 'milliseconds of the longest task while scrolling').toBeLessThanOrEqual(TASK_MS);
  await owner.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
  await expect(list.getByRole('listitem').last()).toHaveAttribute('aria-posinset', String(MEMBERS));
  await expect(list.getByRole('listitem').last()).toContainText('@example.com');

  await owner.getByRole('tab', { name: 'Environments' }).click();
  await expect(owner.getByRole('grid')).toHaveAttribute('aria-rowcount', String(MEMBERS + 1));
  expect(await owner.evaluate(() => document.querySelectorAll('*').length)).toBeLessThanOrEqual(ELEMENTS);
});
