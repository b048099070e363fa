import { gzipSync } from 'node:zlib';
import type { Page } from '@playwright/test';
import { fetchNothingAhead } from './support/ahead';
import { enter } from './support/session';
import { expect, test } from './support/test';

/** kB of 1,000 bytes, each file by itself with `gzip -9`. */
const LOGIN = 135;
const FLAGS = 215;
const LATER = 45;
/** With a chart, whose library has 22. */
const CHARTED = 48;
const STYLES = 15;

interface Loaded {
  name: string;
  kB: number;
}

/** What a page asks for from now on: scripts and styles. */
function loads(page: Page): () => Promise<Loaded[]> {
  const asked = new Set<string>();
  page.on('request', request => {
    if (/\.(js|css)$/.test(request.url())) asked.add(request.url());
  });
  return () => Promise.all([...asked].map(sized));
}

async function sized(url: string): Promise<Loaded> {
  const bytes = await (await fetch(url)).arrayBuffer();
  return { name: url.slice(url.lastIndexOf('/') + 1), kB: gzipSync(bytes, { level: 9 }).length / 1000 };
}

const sum = (of: Loaded[]) => Math.round(of.reduce((total, { kB }) => total + kB, 0) * 10) / 10;
const scripts = (of: Loaded[]) => of.filter(({ name }) => name.endsWith('.js'));
const styles = (of: Loaded[]) => of.filter(({ name }) => name.endsWith('.css'));

function tell(what: string, kB: number, budget: number): void {
  test.info().annotations.push({ type: 'figure', description: `${what}: ${kB} kB of ${budget}` });
  expect(kB, what).toBeLessThanOrEqual(budget);
}

test('the sign-in page loads little', async ({ page, context }) => {
  await fetchNothingAhead(context);
  const loaded = loads(page);
  await page.goto('/login');
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
  const all = await loaded();
  tell('scripts for /login', sum(scripts(all)), LOGIN);
  tell('styles', sum(styles(all)), STYLES);
});

test('the flags page and those after it load little', async ({ page, context, showcase, watch }) => {
  test.setTimeout(180_000);
  // The first run asks for a flag that is not there yet; the trial has no SCIM.
  watch.expect(402, 404);
  await enter(context, showcase.organization.owner);
  await fetchNothingAhead(context);
  const loaded = loads(page);
  const project = `/p/${showcase.organization.project.slug}`;
  await page.goto(`${project}/flags`);
  await page.getByRole('switch').first().waitFor();
  const first = scripts(await loaded());
  tell('scripts until the flags page works', sum(first), FLAGS);

  const pages: [string, string][] = [
    ['a flag', `${project}/flags/checkout?env=production`],
    ['explain', `${project}/flags/checkout?env=production&tab=explain`],
    ['history', `${project}/flags/checkout?env=production&tab=history`],
    ['insights of a flag', `${project}/flags/checkout?env=production&tab=insights`],
    ['insights', `${project}/insights`],
    ['segments', `${project}/segments`],
    ['a segment', `${project}/segments/beta-testers`],
    ['environments', `${project}/environments`],
    ['API keys', `${project}/environments/production/keys`],
    ['project settings', `${project}/settings`],
    ['insights', `${project}/insights`],
    ['compare', `${project}/compare`],
    ['approvals', '/approvals'],
    ['audit', '/audit'],
    ['fleet', '/fleet'],
    ['webhooks', '/webhooks'],
    ['imports', '/migration'],
    ['team', '/team'],
    ['organization', '/settings/organization'],
    ['billing', '/settings/billing'],
    ['SCIM', '/settings/scim'],
    ['sign-in', '/settings/sign-in'],
    ['first run', '/onboarding'],
    ['account', '/settings/account'],
    ['security', '/settings/security'],
  ];
  const known = new Set(first.map(({ name }) => name));
  for (const [name, address] of pages) {
    // Against what the flags page has loaded, whatever other pages did.
    const tab = await context.newPage();
    const added = loads(tab);
    await tab.goto(address);
    await expect(tab.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(tab.getByRole('banner').getByRole('status')).toHaveText('Live');
    const fresh = scripts(await added()).filter(({ name: file }) => !known.has(file));
    tell(`scripts that ${name} adds`, sum(fresh), name.startsWith('insights') ? CHARTED : LATER);
    await tab.close();
  }
});
