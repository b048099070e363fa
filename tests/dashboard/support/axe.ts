import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, type Page, test } from '@playwright/test';
import { expectNothingBeside, picture, VIEWPORTS } from './viewports';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The rules that a page is held against; in the dark only that which depends on colours. */
const RULES = {
  light: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa'] },
  dark: { type: 'rule', values: ['color-contrast'] },
};

interface Complaint {
  rule: string;
  help: string;
  at: string[];
}

/** Waits until long lists, which measure their rows after the window has changed, have put each in its place. */
async function laidOut(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const placed = () => {
      const rows = [...document.querySelectorAll('[style*="translateY"]')];
      return JSON.stringify(rows.map(row => row.getBoundingClientRect()));
    };
    for (let before = '', same = 0; same < 3; ) {
      await new Promise(requestAnimationFrame);
      const now = placed();
      same = now === before ? same + 1 : 0;
      before = now;
    }
  });
}

/** Ends what moves, until nothing has begun to for three frames: colours between two themes have contrasts that nobody sees. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const moves = ({ playState, effect }: Animation) =>
      playState !== 'finished' && effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY;
    for (let still = 0; still < 3; ) {
      const moving = document.getAnimations().filter(moves);
      for (const animation of moving) animation.finish();
      still = moving.length === 0 ? still + 1 : 0;
      await new Promise(requestAnimationFrame);
    }
  });
}

async function complaints(page: Page, colorScheme: keyof typeof RULES): Promise<Complaint[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(SOURCE);
  return page.evaluate(async rules => {
    type Results = {
      violations: {
        id: string;
        help: string;
        nodes: { html: string; target: string[]; failureSummary?: string }[];
      }[];
    };
    const { axe } = window as unknown as {
      axe: { run: (where: Document, how: unknown) => Promise<Results> };
    };
    const { violations } = await axe.run(document, {
      runOnly: rules,
      resultTypes: ['violations'],
    });
    // Longer texts are so each by itself: without what they have more, a name may well contain what is shown.
    const asItIs = (text: string | null | undefined) => (text ?? '').replaceAll(/[\sô]+/g, ' ').trim();
    const isNamed = (target: string | undefined) => {
      const element = document.querySelector(target ?? 'html');
      return asItIs(element?.ariaLabel).includes(asItIs(element?.textContent));
    };
    return violations
      .map(({ id, help, nodes }) => ({
        rule: id,
        help,
        at: nodes
          .filter(({ target }) => id !== 'label-content-name-mismatch' || !isNamed(target[0]))
          .map(({ html, failureSummary = '' }) => `${html.slice(0, 300)} ${failureSummary}`),
      }))
      .filter(({ at }) => at.length > 0);
  }, RULES[colorScheme]);
}

/** What a page shows, light and dark, wide and narrow. */
export async function checkAccessibility(page: Page, name: string, viewports = VIEWPORTS): Promise<void> {
  let runs = 0;
  for (const viewport of viewports) {
    await page.setViewportSize(viewport);
    await laidOut(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await settle(page);
      await picture(page, 'pages', name, viewport.width, colorScheme);
      expect(await complaints(page, colorScheme), `${colorScheme}, ${viewport.width} px`).toEqual([]);
      runs += 1;
    }
    await expectNothingBeside(page);
  }
  test.info().annotations.push({ type: 'axe', description: String(runs) });
}
