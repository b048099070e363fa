import { expect, it } from 'vitest';
import { everyPage } from './pages';

function pages(total: number) {
  const asked: number[] = [];
  const page = async ({ limit, offset }: { limit: number; offset: number }) => {
    asked.push(offset);
    const data = Array.from({ length: Math.max(0, Math.min(limit, total - offset)) }, (_, at) => offset + at);
    return { data, total, has_more: offset + data.length < total };
  };
  return { asked, page };
}

it('one page is enough for a short list', async () => {
  const { asked, page } = pages(3);
  expect(await everyPage(page)).toEqual({ items: [0, 1, 2], total: 3 });
  expect(asked).toEqual([0]);
});

it('pages are joined in their order', async () => {
  const { asked, page } = pages(250);
  const { items } = await everyPage(page);
  expect(items).toEqual(Array.from({ length: 250 }, (_, at) => at));
  expect(asked).toEqual([0, 100, 200]);
});

it('a list without end is cut, and says how long it is', async () => {
  const { items, total } = await everyPage(pages(5000).page);
  expect(items).toHaveLength(1000);
  expect(total).toBe(5000);
});
