// The page of the README in a browser, at a real edge on another origin.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { KEY, startEdge } from './support/edge.mjs';
import { startServer } from './support/server.mjs';
import { bundled } from './support/snippets.mjs';
import { eventually } from './support/until.mjs';

const executablePath = process.env.CHROMIUM;
const skip = !executablePath && 'CHROMIUM is not set';

let browser;
before(async () => {
  if (executablePath) browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
});
after(() => browser?.close());

/** Opens pages that follow the flags of an edge, and show each value that they are told. */
async function start(t) {
  const edge = await startEdge(t);
  const script = await bundled('page.ts');
  const html = `<!doctype html><title></title><script type="module">
    import { follow } from '/page.js';
    window.shown = [];
    window.flags = await follow(${JSON.stringify(edge.url)}, ${JSON.stringify(KEY)}, isNew => window.shown.push(isNew));
  </script>`;
  const site = await startServer(t, (request, response) => {
    const isScript = request.url === '/page.js';
    response.writeHead(200, { 'Content-Type': isScript ? 'text/javascript' : 'text/html' });
    response.end(isScript ? script : html);
  });
  const context = await browser.newContext();
  t.after(() => context.close());
  const open = async () => {
    const page = await context.newPage();
    page.failures = [];
    page.on('pageerror', error => page.failures.push(error));
    await page.goto(site.url);
    return page;
  };
  const flag = page => page.evaluate(() => window.flags?.string('of-live', 'none'));
  return { edge, open, context, flag };
}

test('a page shows a change, survives the edge, and hears of what changed meanwhile', { skip }, async t => {
  const { edge, open, flag } = await start(t);
  const page = await open();
  await eventually('it has the flags', async () => (await flag(page)) === 'v0');
  assert.deepEqual(await page.evaluate(() => [...new Set(window.shown)]), [true]);
  edge.set('v1');
  await eventually('it has the change', async () => (await flag(page)) === 'v1');

  await edge.stop();
  const later = await open();
  assert.equal(await flag(later), 'v1', 'what was kept is there at once');
  await eventually('it notices', () => later.evaluate(() => window.flags.status === 'stale'));
  assert.match(await later.title(), /^UNREACHABLE: /);

  edge.set('v2');
  await edge.start();
  // As when a phone has its connection back.
  for (const each of [page, later]) {
    await each.bringToFront();
    await each.evaluate(() => window.dispatchEvent(new Event('online')));
    await eventually('it has the newest', async () => (await flag(each)) === 'v2');
    assert.deepEqual(each.failures, []);
  }
});

test('damaged contents of localStorage are said and replaced', { skip }, async t => {
  const { open, flag } = await start(t);
  const page = await open();
  await eventually('it has the flags', async () => (await flag(page)) === 'v0');
  const names = await page.evaluate(() => Object.keys(localStorage));
  assert.equal(names.length, 1);
  await page.evaluate(name => localStorage.setItem(name, `${localStorage[name].slice(0, -9)}`), names[0]);
  await page.reload();
  await eventually('it says so', async () => (await page.title()).startsWith('DAMAGED_STORAGE: '));
  await eventually('it has the flags', async () => (await flag(page)) === 'v0');
  await page.reload();
  await eventually('it has the flags', async () => (await flag(page)) === 'v0');
  assert.equal(await page.title(), '');
  assert.deepEqual(page.failures, []);
});
