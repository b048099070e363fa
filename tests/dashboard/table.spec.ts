import { existsSync, readFileSync } from 'node:fs';
import { SCENES } from './support/scenes/index';
import { type Cell, loadedScene, PAGES, STATES, TABLE } from './support/table';
import { expect, test } from './support/test';

/** What is wrong with a cell of the table; nothing where it is true. */
function wrong(page: string, state: (typeof STATES)[number], cell: Cell): string | null {
  const scenes = SCENES.filter(scene => scene.page === page && scene.state === state).map(({ name }) => name);
  switch (cell.by) {
    case 'scene':
      return scenes.length > 0 ? null : 'there is no scene';
    case 'held':
      return loadedScene(page) === undefined ? 'states.spec.ts leaves the page out' : null;
    case 'test': {
      const file = new URL(cell.file, import.meta.url);
      const isThere = existsSync(file) && readFileSync(file, 'utf8').includes(`test('${cell.title}'`);
      return isThere ? null : `there is no test "${cell.title}" in ${cell.file}`;
    }
    case 'none':
      return scenes.length === 0 ? null : `it has none (${cell.why}), but there is a scene: ${scenes}`;
  }
}

test('every state of every page is shown, or cannot be', () => {
  expect(Object.keys(TABLE).sort()).toEqual([...PAGES].sort());
  const holes = Object.entries(TABLE).flatMap(([page, row]) =>
    STATES.flatMap(state => {
      const problem = wrong(page, state, row[state]);
      return problem === null ? [] : [`${page}, ${state}: ${problem}`];
    }),
  );
  expect(holes).toEqual([]);
  expect(SCENES.filter(({ page }) => !(page in TABLE)).map(({ name }) => name)).toEqual([]);
});
