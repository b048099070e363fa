import { backdate } from './support/backdate';
import type { Organization } from './support/organization';
import { expect, test } from './support/test';

async function scan(organization: Organization, lines: number, more: Record<string, unknown> = {}) {
  const references = Array.from({ length: lines }, (_, at) => ({
    key: 'checkout',
    path: 'src/[id]/page.tsx',
    line: at + 1,
    alias: at === 0 ? 'isCheckout' : null,
  }));
  await organization.owner.api.put(`/v1/projects/${organization.project.id}/references`, {
    repository: 'acme/shop',
    references,
    ...more,
  });
}

test('the settings of a flag show where code names it', async ({ owner, organization }) => {
  await organization.flag('checkout');
  const settings = `/p/${organization.project.slug}/flags/checkout?tab=settings`;
  await owner.goto(settings);
  const card = owner.getByRole('region', { name: 'In code' });
  await expect(card).toContainText('No scan of a repository found this flag.');

  await scan(organization, 60, {
    commit: '4ad1f0c9d2',
    link: 'https://git.example/acme/shop/blob/{commit}/{path}#L{line}',
  });
  await owner.goto(settings);
  await expect(card).toContainText('60 lines of code');
  await expect(card.getByRole('heading', { name: 'acme/shop' })).toBeVisible();
  await expect(card).toContainText('Scanned at 4ad1f0c9');
  const first = card.getByRole('listitem').first();
  await expect(first).toContainText('as isCheckout');
  await expect(first.getByRole('link', { name: 'src/[id]/page.tsx:1', exact: true })).toHaveAttribute(
    'href',
    'https://git.example/acme/shop/blob/4ad1f0c9d2/src/%5Bid%5D/page.tsx#L1',
  );
  await expect(card.getByRole('listitem')).toHaveCount(50);
  await card.getByRole('button', { name: 'Show more' }).click();
  await expect(card.getByRole('listitem')).toHaveCount(60);
});

test('archiving a flag that code names says so', async ({ owner, organization }) => {
  await organization.flag('checkout');
  await scan(organization, 2);
  await owner.goto(`/p/${organization.project.slug}/flags/checkout?tab=settings`);
  await owner.getByRole('button', { name: 'Archive the flag' }).click();
  const dialog = owner.getByRole('dialog', { name: 'Archive checkout?' });
  await expect(dialog).toContainText('Code still names it on 2 lines');
});

test('stale flags tell how often code names them', async ({ owner, organization }) => {
  for (const key of ['checkout', 'banner']) {
    await organization.flag(key);
    await backdate(organization, key, 45);
  }
  const stale = `/p/${organization.project.slug}/insights?tab=stale&reason=fully_off`;
  await owner.goto(stale);
  const table = owner.getByRole('table', { name: 'Stale flags' });
  const row = (key: string) => table.getByRole('row', { name: new RegExp(`^${key}`) });
  await expect(row('banner')).toContainText('Never switched on.');
  await expect(row('banner')).toContainText('Not scanned');
  await scan(organization, 2);
  await owner.goto(stale);
  await expect(row('checkout')).toContainText('2 lines');
  await expect(row('banner')).toContainText('Not any more');
});
