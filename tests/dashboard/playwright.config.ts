import { join } from 'node:path';
import { defineConfig } from '@playwright/test';
import { place } from './support/places';

/** `./dev dashboard test` starts the service and says by the environment where it is. */
export default defineConfig({
  testDir: import.meta.dirname,
  outputDir: join(place.results, 'failed'),
  workers: 2,
  fullyParallel: true,
  forbidOnly: true,
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
    trace: 'retain-on-failure',
    screenshot: 'only-on-failure',
  },
});
