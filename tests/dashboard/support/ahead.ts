import type { BrowserContext } from '@playwright/test';

/** Nothing is fetched ahead in a quiet moment: a page has what it asked for, as in a tab that was left as soon as it was opened. */
export async function fetchNothingAhead(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    window.requestIdleCallback = () => 0;
  });
}
