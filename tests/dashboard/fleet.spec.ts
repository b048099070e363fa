import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { ExtraEdge, REGION } from './support/fleet';
import { Organization } from './support/organization';
import { Replica } from './support/replica';
import { enter } from './support/session';
import { expect, test } from './support/test';
import { until } from './support/until';

interface Wave {
  version: number;
  killed: boolean;
  acknowledged: { edge: string; after_ms: number }[];
  lagging: string[];
}

/** Names that no other test has. */
const named = (name: string) => `${name}-${Math.random().toString(36).slice(2, 7)}`;
const table = (page: Page) => page.getByRole('table', { name: 'Edges', exact: true });
const rowOf = (page: Page, edge: ExtraEdge) => table(page).getByRole('row').filter({ hasText: edge.name });

test('an edge that stops is named with what it misses, and the wave of a kill has the times of the service', async ({
  page,
  context,
}) => {
  test.setTimeout(90_000);
  const organization = await Organization.register(REGION);
  await organization.flag('checkout');
  const relay = await ExtraEdge.start(named('relay'), { isRelay: true });
  const [fra, ams, dub] = await Promise.all([
    ExtraEdge.start(named('fra')),
    ExtraEdge.start(named('ams')),
    ExtraEdge.start(named('dub'), { below: relay }),
  ]);
  try {
    await organization.set('checkout', 'production', { enabled: true });
    await enter(context, organization.owner);
    const production = organization.environment('production').id;
    await page.goto(`/fleet?env=${production}`);
    await expect(rowOf(page, fra)).toContainText('Live');
    await expect(rowOf(page, dub)).toContainText(relay.name);
    const map = page.getByRole('region', { name: 'Control plane, relays and edges' });
    await expect(map.getByRole('link', { name: new RegExp(`^${dub.name}: edge.*live`) })).toBeVisible();
    await expect(map.getByRole('link', { name: new RegExp(`^Relay ${relay.name},`) })).toBeVisible();

    // A change that has come everywhere, then two that come to all but one.
    await ams.stop();
    const began = Date.now();
    await organization.set('checkout', 'production', { enabled: false });
    await organization.set('checkout', 'production', { enabled: true });
    const attention = page.getByRole('region', { name: /attention$/ });
    await expect(attention).toContainText(`${ams.name} is away`);
    await expect(attention).toContainText('2 versions behind in Production');
    expect(Date.now() - began, 'milliseconds until it is named').toBeLessThan(2_000 + 2_000);
    await expect(rowOf(page, ams)).toContainText('2 versions');

    const path = `/v1/projects/${organization.project.id}/flags/checkout/kill?wait=edges`;
    await organization.owner.api.post(path, { env_id: production });
    await expect(attention).toContainText('3 versions behind in Production');
    const wave = await until('the wave of the kill', async () => {
      const { data } = await organization.owner.api.get<{ data: Wave[] }>(
        `/v1/edges/waves?env_id=${production}`,
      );
      return data.find(({ killed, lagging }) => killed && lagging.length === 0);
    });
    const panel = page.getByRole('region', { name: 'How changes reached the edges' });
    await expect(panel.getByText('Killed', { exact: true })).toBeVisible();
    const bars = panel.getByRole('table', { name: 'Edges by time' });
    expect(wave.acknowledged.map(({ edge }) => edge)).toContain(fra.name);
    expect(wave.acknowledged.map(({ edge }) => edge)).toContain(relay.name);
    for (const { edge, after_ms } of wave.acknowledged) {
      const row = bars.getByRole('row').filter({ hasText: edge });
      await expect(row).toContainText(new RegExp(`(?<!\\d)${after_ms.toLocaleString('en')} ms`));
    }

    await ams.run();
    await expect(rowOf(page, ams)).toContainText('Up to date');
    await rowOf(page, ams).getByRole('link', { name: ams.name }).click();
    await expect(page.getByRole('heading', { name: ams.name, level: 1 })).toBeVisible();
    const held = page.getByRole('table', { name: 'What it holds' });
    await expect(held.getByRole('row').filter({ hasText: 'Production' })).toContainText('Up to date');
    await expect(page.getByText(`halyard edge revoke ${ams.name}`)).toBeVisible();
  } finally {
    for (const edge of [fra, ams, dub, relay]) await edge.remove();
  }
});

test('an operator adds an edge, sees it join, and revokes it', async ({ page, context, watch }) => {
  test.setTimeout(60_000);
  const organization = await Organization.register(REGION);
  const owner = await organization.owner.proven();
  const replica = await Replica.start({ FLEET_OPERATORS: owner.email });
  const name = named('mad');
  let edge: ExtraEdge | null = null;
  try {
    await enter(context, owner, replica.origin);
    await page.goto(`${replica.origin}/fleet`);
    await page.getByRole('button', { name: 'Add an edge' }).first().click();
    const add = page.getByRole('dialog', { name: 'Add an edge' });
    const field = add.getByRole('textbox', { name: 'Name' });
    await field.fill('not a name');
    watch.expect(400);
    await add.getByRole('button', { name: 'Create the certificate' }).click();
    await expect(field).toBeFocused();
    await expect(field).toHaveAccessibleDescription(/letters/);
    const { data } = await owner.api.get<{ data: { name: string; kind: string }[] }>('/v1/edges');
    await field.fill(data.find(({ kind }) => kind === 'edge')?.name ?? '');
    watch.expect(409);
    await add.getByRole('button', { name: 'Create the certificate' }).click();
    await expect(field).toHaveAccessibleDescription(/enrolled already/);
    await field.fill(name);
    await add.getByRole('button', { name: 'Data region' }).click();
    await page.getByRole('option', { name: REGION }).click();
    await add.getByRole('button', { name: 'Create the certificate' }).click();
    const files = page.getByRole('dialog', { name: `Files for ${name}` });
    await expect(files.getByText(`Waiting for ${name} to join`)).toBeVisible();
    await expect(files.getByText(`EDGE_IDENTITY=${name}`)).toBeVisible();

    const folder = await mkdtemp(join(tmpdir(), 'halyard-files-'));
    for (const file of ['ca.pem', 'edge.pem', 'edge.key']) {
      const download = page.waitForEvent('download');
      await files.getByRole('button', { name: `Download ${file}` }).click();
      const saved = await download;
      expect(saved.suggestedFilename()).toBe(file);
      await saved.saveAs(join(folder, file));
    }
    edge = await ExtraEdge.of(name, folder, folder);
    await expect(files.getByText(`${name} has joined`)).toBeVisible();
    await files.getByRole('button', { name: "I've saved the files" }).click();

    await rowOf(page, edge).getByRole('link', { name }).click();
    await page.getByRole('button', { name: 'Revoke this edge' }).click();
    const revoke = page.getByRole('dialog', { name: `Revoke ${name}?` });
    await revoke.getByRole('button', { name: 'Revoke' }).click();
    await expect(page.getByText(`${name} is revoked.`, { exact: false })).toBeVisible();
    await expect(page.getByRole('heading', { name: `No edge named ${name}` })).toBeVisible();
  } finally {
    await edge?.remove();
    await replica.stop();
  }
});

test('who is no operator gets the command for one', async ({ owner }) => {
  await owner.goto('/fleet');
  await owner.getByRole('button', { name: 'Add an edge' }).first().click();
  const add = owner.getByRole('dialog', { name: 'Add an edge' });
  await add.getByRole('textbox', { name: 'Name' }).fill('ams-1');
  await expect(add.getByText('halyard edge enroll --name ams-1 --out ./ams-1')).toBeVisible();
  await expect(add.getByText('Waiting for ams-1 to join')).toBeVisible();
});

test('edges are filtered, and the filter is in the address', async ({ owner }) => {
  await owner.goto('/fleet?state=away');
  await expect(owner.getByText('No edge matches.')).toBeVisible();
  await owner.getByRole('button', { name: 'Clear the filters' }).click();
  await expect(table(owner).getByText('Built in')).toBeVisible();
  await owner.getByRole('searchbox', { name: /^Search by name/ }).fill('built');
  await expect(owner).toHaveURL(/q=built/);
  await expect(table(owner).getByRole('row')).toHaveCount(2);
  const download = owner.waitForEvent('download');
  await owner.getByRole('button', { name: 'Download CSV' }).first().click();
  expect((await download).suggestedFilename()).toMatch(/^fleet-.*\.csv$/);
});

test('on a phone edges are cards below the summary, and nothing scrolls sideways', async ({ owner }) => {
  await owner.setViewportSize({ width: 360, height: 740 });
  await owner.goto('/fleet');
  await expect(owner.getByText('Connected edges')).toBeVisible();
  const cards = owner.getByRole('list', { name: 'Edges' });
  await expect(cards.getByRole('listitem').first()).toContainText('Up to date');
  const width = await owner.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(360);
});
