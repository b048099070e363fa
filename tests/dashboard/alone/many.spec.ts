import { importFlags } from '../support/manyFlags';
import { median } from '../support/median';
import { expect, test } from '../support/test';

const FLAGS = 10_000;
/** Twice what is aimed at, as the others are: the machines that run this do other things as well. */
const USABLE_MS = 1_400;
const VISITS = 3;
const ELEMENTS = 1_200;
const HEAP = 40_000_000;
const TASK_MS = 200;

test('10,000 flags are as quick as twenty', async ({ owner, organization }) => {
  test.setTimeout(300_000);
  await importFlags(organization, FLAGS);
  const client = await owner.context().newCDPSession(owner);
  await client.send('Performance.enable');
  const heap = async () => {
    await client.send('HeapProfiler.collectGarbage');
    const { metrics } = await client.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.NaN;
  };
  const address = `/p/${organization.project.slug}/flags?sort=key`;
  const table = owner.getByRole('grid', { name: 'Flags and their state in each environment' });
  // Once before, as the next visits find the scripts in the browser's memory.
  await owner.goto(address);
  await expect(owner.getByText('10,000 flags')).toBeVisible();

  const overviews: string[] = [];
  owner.on('request', request => {
    if (request.url().includes('/overview')) overviews.push(request.url());
  });
  const visits: number[] = [];
  for (let visit = 0; visit < VISITS; visit += 1) {
    overviews.length = 0;
    const began = Date.now();
    await owner.goto(address);
    await owner.getByRole('switch').first().waitFor();
    visits.push(Date.now() - began);
    await expect(table).toHaveAttribute('aria-rowcount', String(FLAGS + 1));
    expect(overviews, 'one request for a screen').toHaveLength(1);
  }
  const usable = median(visits);
  const elements = await owner.evaluate(() => document.querySelectorAll('*').length);
  const heapAtFirst = await heap();

  await owner.evaluate(() => {
    const long: number[] = [];
    Object.assign(window, { long });
    new PerformanceObserver(list => {
      for (const { duration } of list.getEntries()) long.push(duration);
    }).observe({ type: 'longtask' });
  });
  const scroll = (to: number) =>
    table.evaluate((element, share) => {
      let scroller: Element | null = element;
      while (scroller !== null && scroller.scrollHeight <= scroller.clientHeight)
        scroller = scroller.parentElement;
      scroller?.scrollTo({ top: scroller.scrollHeight * share });
    }, to);
  for (let jump = 0; jump < 60; jump += 1) {
    await scroll(((jump * 37) % 100) / 100);
    await owner.waitForTimeout(30);
  }
  await scroll(1);
  await expect(owner.getByRole('rowheader', { name: /^Flag 9999/ })).toBeVisible();
  await expect(owner.getByRole('row').last()).toHaveAttribute('aria-rowindex', String(FLAGS + 1));
  const longest = await owner.evaluate(() => Math.max(0, ...(window as unknown as { long: number[] }).long));
  const elementsAfter = await owner.evaluate(() => document.querySelectorAll('*').length);
  const heapAfter = await heap();

  const search = owner.getByRole('searchbox', { name: 'Search name, key, description or tag' });
  await search.fill('flag-07');
  await expect(owner.getByText('1,000 flags')).toBeVisible();
  await expect(owner.getByRole('rowheader').first()).toHaveText(/flag-07000/);

  const MB = (bytes: number) => (bytes / 1_000_000).toFixed(1);
  test.info().annotations.push({
    type: 'figure',
    description:
      `10,000 flags: first switch after ${usable} ms, ${elements} elements, ${MB(heapAtFirst)} MB of script heap; after 60 jumps ` +
      `${elementsAfter} elements, ${MB(heapAfter)} MB, longest task ${Math.round(longest)} ms`,
  });
  expect(usable, 'ms to the first switch').toBeLessThan(USABLE_MS);
  expect(Math.max(elements, elementsAfter), 'elements').toBeLessThan(ELEMENTS);
  expect(Math.max(heapAtFirst, heapAfter), 'bytes of script heap').toBeLessThan(HEAP);
  expect(longest, 'ms of the longest task while scrolling').toBeLessThan(TASK_MS);
});
