import { REGION } from '../support/fleet';
import { median } from '../support/median';
import { Organization } from '../support/organization';
import { enter } from '../support/session';
import { sql } from '../support/sql';
import { expect, test } from '../support/test';

const EDGES = 500;
/** Twice what is aimed at, as the others are: the machines that run this do other things as well. */
const USABLE_MS = 1_400;
const VISITS = 3;
const ELEMENTS = 1_200;
const TASK_MS = 200;

test('500 edges are as quick as five', async ({ page, context }) => {
  test.setTimeout(120_000);
  const prefix = `many-${Math.random().toString(36).slice(2, 7)}`;
  const organization = await Organization.register(REGION);
  await enter(context, organization.owner);
  // Enrolled a month ago; most were here a while ago, one in ten never.
  await sql(`
    INSERT INTO edge_certificates (fingerprint, name, region, issued_at, expires_at, last_seen_at)
    SELECT sha256(('${prefix}' || n)::bytea), '${prefix}-' || lpad(n::text, 3, '0'), '${REGION}',
           now() - interval '30 days', now() + interval '300 days',
           CASE WHEN n % 10 = 0 THEN NULL ELSE now() - n * interval '1 minute' END
    FROM generate_series(1, ${EDGES}) AS n`);
  try {
    const table = page.getByRole('table', { name: 'Edges', exact: true });
    const row = table.getByRole('row').filter({ hasText: prefix });
    // Once before, as the next visits find the scripts in the browser's memory.
    await page.goto('/fleet');
    await row.first().waitFor();
    const visits: number[] = [];
    for (let visit = 0; visit < VISITS; visit += 1) {
      const began = Date.now();
      await page.goto('/fleet');
      await row.first().waitFor();
      visits.push(Date.now() - began);
    }
    const usable = median(visits);
    const count = Number(await table.getAttribute('aria-rowcount'));
    expect(count, 'rows').toBeGreaterThan(EDGES);
    const elements = await page.evaluate(() => document.querySelectorAll('*').length);

    const longest = await page.evaluate(async () => {
      let longest = 0;
      const observer = new PerformanceObserver(entries => {
        for (const { duration } of entries.getEntries()) longest = Math.max(longest, duration);
      });
      observer.observe({ type: 'longtask' });
      const scroller = document.querySelector('table[aria-rowcount]')?.parentElement;
      for (let step = 1; step <= 40; step += 1) {
        scroller?.scrollTo({ top: (scroller.scrollHeight * step) / 40 });
        await new Promise(resolve => setTimeout(resolve, 50));
      }
      observer.disconnect();
      return longest;
    });
    await expect(table.getByRole('row').last()).toHaveAttribute('aria-rowindex', String(count));
    test.info().annotations.push({
      type: 'figure',
      description: `${EDGES} edges: first after ${usable} ms, ${elements} elements, longest task ${Math.round(longest)} ms`,
    });
    expect(usable, 'ms to the first edge').toBeLessThan(USABLE_MS);
    expect(elements, 'elements').toBeLessThan(ELEMENTS);
    expect(longest, 'ms of the longest task while scrolling').toBeLessThan(TASK_MS);

    await page.getByRole('searchbox', { name: /^Search by name/ }).fill(`${prefix}-250`);
    await expect(row).toHaveCount(1);
    await row.getByRole('link', { name: `${prefix}-250` }).click();
    await expect(page.getByRole('heading', { name: `${prefix}-250`, level: 1 })).toBeVisible();
  } finally {
    await sql(`DELETE FROM edge_certificates WHERE name LIKE '${prefix}-%'`);
  }
});
