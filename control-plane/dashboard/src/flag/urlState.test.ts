import { expect, it } from 'vitest';
import { findEnvironment, readFlagSearch } from './urlState';

it.each([
  [
    { env: 'dev', tab: 'history' },
    { env: 'dev', tab: 'history' },
  ],
  [{ env: '', tab: 'nonsense' }, {}],
  [{ env: 7 }, { env: '7' }],
])('reads %j', (search, read) => {
  expect(readFlagSearch(search)).toEqual(read);
});

it('finds the environment of an address', () => {
  const environments = [{ slug: 'dev' }, { slug: 'production' }];
  expect(findEnvironment(environments, 'production')).toEqual({ slug: 'production' });
  expect(findEnvironment(environments, undefined)).toEqual({ slug: 'dev' });
  expect(findEnvironment(environments, 'gone')).toBeUndefined();
  expect(findEnvironment([], undefined)).toBeUndefined();
});
