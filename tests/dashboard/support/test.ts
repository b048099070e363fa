import { type BrowserContext, test as base, type Page } from '@playwright/test';
import { Organization, type Person } from './organization';
import { enter } from './session';
import { furnish, type Showcase } from './showcase';
import { Watch } from './watch';

interface Fixtures {
  /** Over every page of the test. */
  watch: Watch;
  /** The test's own. */
  organization: Organization;
  /** A page of the owner, signed in; no address is open yet. */
  owner: Page;
  /** Another browser, in which somebody is signed in or nobody. */
  browserOf: (person: Person | null) => Promise<BrowserContext>;
}

export const test = base.extend<Fixtures, { showcase: Showcase }>({
  showcase: [async ({}, use) => use(await furnish()), { scope: 'worker', timeout: 60_000 }],
  watch: async ({}, use) => {
    const watch = new Watch();
    await use(watch);
    watch.verdict();
  },
  context: async ({ context, watch }, use) => {
    await watch.over(context);
    await use(context);
  },
  organization: async ({}, use) => {
    await use(await Organization.register());
  },
  owner: async ({ context, page, organization }, use) => {
    await enter(context, organization.owner);
    await use(page);
  },
  browserOf: async ({ browser, watch, contextOptions, baseURL, locale, timezoneId, viewport }, use) => {
    const opened: BrowserContext[] = [];
    await use(async person => {
      const context = await browser.newContext({
        ...contextOptions,
        viewport,
        ...(baseURL === undefined ? {} : { baseURL }),
        ...(locale === undefined ? {} : { locale }),
        ...(timezoneId === undefined ? {} : { timezoneId }),
      });
      opened.push(context);
      await watch.over(context);
      if (person !== null) await enter(context, person);
      return context;
    });
    for (const context of opened) await context.close();
  },
});

export { expect } from '@playwright/test';
