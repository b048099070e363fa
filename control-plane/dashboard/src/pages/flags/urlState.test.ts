import { describe, expect, it } from 'vitest';
import { parseSearch, stringifySearch } from '../../routes/search';
import { NEWEST } from './orders';
import { droppable, isFiltered, readFlagsSearch, toQuery } from './urlState';

const ENVIRONMENTS = [
  { id: '1', slug: 'dev' },
  { id: '2', slug: 'production' },
];

describe('the address of the flags page', () => {
  it('holds what is filtered and sorted', () => {
    const address = '?q=check+out&tag=a%26b&type=ab&state=on&env=production&sort=key&order=desc';
    const search = readFlagsSearch(parseSearch(address));
    expect(search).toEqual({
      q: 'check out',
      tag: 'a&b',
      type: 'ab',
      state: 'on',
      env: 'production',
      sort: 'key',
      order: 'desc',
    });
    expect(stringifySearch({ ...search })).toBe(address);
  });

  it('loses what is not known', () => {
    expect(readFlagsSearch(parseSearch('?type=date&state=maybe&sort=size&order=up&q=&x=1'))).toEqual({});
  });

  it('keeps what looks like a number or a truth as text', () => {
    expect(readFlagsSearch(parseSearch('?q=10&tag=true'))).toEqual({ q: '10', tag: 'true' });
  });

  it('leads to the archived flags', () => {
    expect(readFlagsSearch(parseSearch('?archived=true'))).toEqual({ archived: 'true' });
    expect(readFlagsSearch(parseSearch('?archived=yes'))).toEqual({});
  });

  it('is short when nothing is filtered', () => {
    expect(stringifySearch({ q: undefined, tag: '' })).toBe('');
  });
});

describe('the query for an address', () => {
  it('names the environment by its id', () => {
    expect(toQuery({ state: 'off', env: 'production' }, ENVIRONMENTS)).toEqual({
      state: 'off',
      env_id: '2',
      ...NEWEST,
    });
  });

  it('asks for any environment when there is none of that name', () => {
    expect(toQuery({ state: 'off', env: 'gone' }, ENVIRONMENTS)).toEqual({ state: 'off', ...NEWEST });
  });

  it('has no environment without a state', () => {
    expect(toQuery({ q: 'x', env: 'dev' }, ENVIRONMENTS)).toEqual({ q: 'x', ...NEWEST });
  });

  it('has the owner and what is stale', () => {
    const query = toQuery({ owner: 'me', stale: 'true', sort: 'key' }, ENVIRONMENTS);
    expect(query).toEqual({ owner_id: 'me', stale: 'true', sort: 'key', order: 'asc' });
  });
});

it('sorting filters nothing', () => {
  expect(isFiltered({ sort: 'key', order: 'desc', env: 'dev' })).toBe(false);
  expect(isFiltered({ tag: 'x' })).toBe(true);
  expect(isFiltered({ owner: 'me' })).toBe(true);
});

describe('a filter to drop', () => {
  it('is each of several', () => {
    expect(droppable({ q: 'x', state: 'on', env: 'dev', sort: 'key' })).toEqual([
      { filter: 'q', drop: { q: undefined }, without: { state: 'on', env: 'dev', sort: 'key' } },
      { filter: 'state', drop: { state: undefined, env: undefined }, without: { q: 'x', sort: 'key' } },
    ]);
  });

  it('is none where there is one: clearing does the same', () => {
    expect(droppable({ tag: 'web' })).toEqual([]);
  });
});
