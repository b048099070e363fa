import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { NARROW, settle, WIDE } from './support/axe';
import { place } from './support/places';
import { enter } from './support/session';
import type { Showcase } from './support/showcase';
import { expect, test } from './support/test';

interface Sight {
  name: string;
  path: (of: Showcase) => string;
  ready: (page: Page) => Locator;
  isOpen?: true;
  act?: (page: Page) => Promise<void>;
}

const project = ({ organization }: Showcase) => `/p/${organization.project.slug}`;
const title = (page: Page) => page.getByRole('heading', { level: 1 });

const SIGHTS: Sight[] = [
  { name: 'login', path: () => '/login', ready: title, isOpen: true },
  { name: 'signup', path: () => '/signup', ready: title, isOpen: true },
  { name: 'flags', path: of => `${project(of)}/flags`, ready: page => page.getByRole('switch').first() },
  {
    name: 'flag-targeting',
    path: of => `${project(of)}/flags/checkout?env=production`,
    ready: page => page.getByRole('button', { name: 'Add a condition' }),
    act: page => page.getByRole('button', { name: 'Edit Testers' }).click(),
  },
  {
    name: 'flag-explain',
    path: of =>
      `${project(of)}/flags/checkout?env=production&tab=explain#${new URLSearchParams({
        context: JSON.stringify({ key: 'user-1', attributes: { country: 'DE', plan: 'beta' } }),
      })}`,
    ready: page => page.getByRole('article', { name: 'Stored' }),
  },
  {
    name: 'flag-history',
    path: of => `${project(of)}/flags/checkout?env=production&tab=history`,
    ready: page => page.getByText('Stored now'),
  },
  {
    name: 'flag-settings',
    path: of => `${project(of)}/flags/checkout?env=production&tab=settings`,
    ready: page => page.getByRole('tabpanel').getByRole('button').first(),
  },
  {
    name: 'flag-kill',
    path: of => `${project(of)}/flags/checkout?env=production`,
    ready: page => page.getByRole('dialog'),
    act: page => page.getByRole('button', { name: 'Kill in Production' }).click(),
  },
  { name: 'segments', path: of => `${project(of)}/segments`, ready: page => page.getByRole('table') },
  {
    name: 'segment',
    path: of => `${project(of)}/segments/beta-testers`,
    ready: page => page.getByText(/^Used by/),
  },
  { name: 'environments', path: of => `${project(of)}/environments`, ready: page => page.getByRole('table') },
  {
    name: 'keys',
    path: of => `${project(of)}/environments/production/keys`,
    ready: page => page.getByRole('table'),
  },
  { name: 'project', path: of => `${project(of)}/settings`, ready: title },
  { name: 'onboarding', path: () => '/onboarding', ready: page => page.getByRole('switch') },
  { name: 'account', path: () => '/settings/account', ready: title },
  { name: 'security', path: () => '/settings/security', ready: page => page.getByRole('table') },
];

/** For eyes: fonts and engines differ too much for a comparison of pixels. */
for (const sight of SIGHTS) {
  test(`picture: ${sight.name}`, async ({ page, context, showcase, watch }) => {
    // The first run asks for a flag that may not be there yet.
    if (sight.name === 'onboarding') watch.expect(404);
    if (!sight.isOpen) await enter(context, showcase.organization.owner);
    await page.goto(sight.path(showcase));
    await sight.act?.(page);
    await expect(sight.ready(page)).toBeVisible();
    for (const [width, viewport] of [
      ['wide', WIDE],
      ['narrow', NARROW],
    ] as const) {
      await page.setViewportSize(viewport);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await settle(page);
        const path = join(place.results, 'pages', `${sight.name}-${width}-${colorScheme}.png`);
        await page.screenshot({ path, fullPage: true });
      }
    }
  });
}
