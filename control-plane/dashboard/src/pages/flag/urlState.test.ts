import { expect, it } from 'vitest';
import { findEnvironment, readFlagSearch } from './urlState';

it.each([
  [
    { env: 'dev', tab: 'history' },
    { env: 'dev', tab: 'history' },
  ],
  [{ env: '', tab: 'nonsense' }, {}],
  [{ env: 7 }, { env: '7' }],
  [
    { tab: 'history', version: '12', against: '3' },
    { tab: 'history', version: 12, against: 3 },
  ],
  [
    { version: '12', against: 'now' },
    { version: 12, against: 'now' },
  ],
  [{ version: '0', against: '-1' }, {}],
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
