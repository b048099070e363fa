import { expect, it } from 'vitest';
import paths from './paths.json';
import { router } from './router';

it('paths.json lists the addresses of the router, as the service reads them', () => {
  const own = Object.keys(router.routesByPath).map(path => path.replaceAll(/\$(\w+)/g, '{$1}'));
  expect(own.sort()).toEqual(paths);
});
