import { join } from 'node:path';
import { defineConfig } from '@playwright/test';
import { place } from './support/places';

/** Tests that measure: with another browser beside them they would say more about the machine than about the page. */
const ALONE = '**/alone/*.spec.ts';

/** `./dev dashboard test` starts the service and says by the environment where it is. */
export default defineConfig({
  testDir: import.meta.dirname,
  outputDir: join(place.results, 'failed'),
  workers: 2,
  fullyParallel: true,
  projects: [
    { name: 'together', testIgnore: ALONE },
    { name: 'alone', testMatch: ALONE, workers: 1, dependencies: ['together'] },
  ],
  forbidOnly: true,
  // As other tests that fail on a machine that is busy with others' work; the report names them.
  retries: place.pictures ? 0 : 1,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: [['list'], ['./support/report.ts']],
  use: {
    baseURL: place.api,
    locale: 'en-GB',
    timezoneId: 'UTC',
    viewport: { width: 1280, height: 800 },
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: { executablePath: place.chromium },
    // Where somebody looks at it, since it costs a seventh of a page's time. Without a film: that costs two fifths of all the time on the processor, and the trace has each page as it was anyway.
    trace: place.pictures ? { mode: 'retain-on-failure', screenshots: false } : 'off',
    screenshot: 'only-on-failure',
  },
});
