import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { BrowserContext } from '@playwright/test';
import { place } from './places';

/** Gives the pages of a browser another build of the dashboard, in which every text is 40 % longer, as in other languages. */
export async function lengthenTexts(context: BrowserContext): Promise<void> {
  const shell = readFileSync(join(place.longTexts, 'index.html'), 'utf8');
  await context.route(`${place.api}/**`, async route => {
    const request = route.request();
    const file = join(place.longTexts, basename(new URL(request.url()).pathname));
    if (request.resourceType() === 'document') {
      const response = await route.fetch();
      const folder = /"([^"]*\/)app\.js"/.exec(await response.text())?.[1];
      if (folder === undefined) throw new Error(`no page of the dashboard: ${request.url()}`);
      await route.fulfill({ response, body: shell.replaceAll('"./', `"${folder}`) });
    } else if (request.url().includes('/assets/') && existsSync(file)) {
      await route.fulfill({ path: file });
    } else {
      await route.fallback();
    }
  });
}
