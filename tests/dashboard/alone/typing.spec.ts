import type { Page } from '@playwright/test';
import { median } from '../support/median';
import { expect, test } from '../support/test';

const RULES = 100;
const CONDITIONS = 5;
/** From a key to the picture that shows it: twice the time up to which people say that a page answers at once. */
const PAINTED_MS = 200;

test('a flag with a hundred rules keeps up with whoever types', async ({ owner, organization }) => {
  test.setTimeout(120_000);
  await organization.flag('checkout');
  await organization.set('checkout', 'dev', { enabled: true, rules: Array.from({ length: RULES }, rule) });
  await owner.goto(`/p/${organization.project.slug}/flags/checkout?env=dev`);
  await owner.getByRole('button', { name: 'Edit Rule number 99' }).click();
  const name = owner.getByRole('textbox', { name: 'Name', exact: true });
  await name.click();
  await name.press('End');

  await noteKeys(owner);
  const typed = ', for those who buy again within a month';
  await name.pressSequentially(typed, { delay: 50 });
  await expect(name).toHaveValue(`Rule number 99${typed}`);
  const painted = await keysPainted(owner);
  expect(painted.length, 'keys whose picture was measured').toBeGreaterThanOrEqual(typed.length);

  await owner.getByRole('button', { name: 'Review and save' }).click();
  const dialog = owner.getByRole('dialog', { name: 'Change checkout in Development?' });
  await expect(dialog.getByRole('listitem')).toHaveCount(1);

  const usual = median(painted);
  test.info().annotations.push({
    type: 'figure',
    description: `${RULES} rules of ${CONDITIONS} conditions: a key is painted after ${usual} ms, the slowest after ${Math.max(...painted)} ms`,
  });
  expect(usual, 'ms from a key to its picture').toBeLessThan(PAINTED_MS);
});

function rule(_: unknown, priority: number) {
  return {
    description: `Rule number ${priority}`,
    priority,
    conditions: Array.from({ length: CONDITIONS }, (__, index) => ({
      attribute: `attribute-${index}`,
      operator: 'in',
      values: [`value-${priority}`, 'another'],
    })),
    segment_keys: [],
    percentage: 10_000,
    value: true,
    match_type: 'all',
  };
}

/** Notes how long each key takes until the next picture, in steps of 8 ms (Event Timing API, W3C). */
async function noteKeys(page: Page): Promise<void> {
  await page.evaluate(() => {
    const keys: number[] = [];
    Object.assign(window, { keys });
    new PerformanceObserver(list => {
      for (const { name, duration } of list.getEntries()) if (name === 'keydown') keys.push(duration);
    }).observe({ type: 'event', durationThreshold: 0 } as PerformanceObserverInit);
  });
}

async function keysPainted(page: Page): Promise<number[]> {
  // Entries come with the picture after the one that they tell of.
  await page.waitForTimeout(500);
  return page.evaluate(() => (window as unknown as { keys: number[] }).keys);
}
