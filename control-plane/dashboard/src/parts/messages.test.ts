import { expect, it } from 'vitest';
import { environments } from '../pages/environments/messages';
import { apiKeys } from '../pages/keys/messages';
import { projects } from '../pages/project/messages';
import { shared } from './messages';

const NOW = Date.parse('2026-11-23T12:00:00Z');

it.each([
  [7, '0:07'],
  [3599, '59:59'],
  [3600, '1:00:00'],
  [18_000 - 1, '4:59:59'],
  [172_800, '48:00:00'],
])('%i seconds are counted down as %s', (seconds, text) => {
  expect(shared.span(seconds)).toBe(text);
});

it('a denial names the role, and those that may', () => {
  expect(shared.mayNot('api_keys.manage', 'developer', ['owner', 'admin'])).toBe(
    'Your role, Developer, may not create, rotate or revoke API keys. Owners and Admins may.',
  );
});

it('limits are told with what is used', () => {
  expect(shared.allowed(1, 1, 'projects')).toBe('Your plan allows 1 project; you have 1.');
  expect(shared.allowed(3, 2, 'environments')).toBe(
    'Your plan allows 2 environments in each project; this one has 3.',
  );
});

it('a type of key says where it belongs, and what that means', () => {
  expect(apiKeys.typeText('server')).toContain('Keep it secret');
  expect(apiKeys.typeText('client')).toContain('anyone can read it');
});

it('what depends on a key is told before it goes', () => {
  expect(apiKeys.useRecent('2026-11-23T11:57:00Z', NOW)).toBe(
    'It was used 3 minutes ago: an app very likely depends on it.',
  );
  expect(apiKeys.usePast('2026-11-20T12:00:00Z', NOW)).toBe('It was last used 3 days ago.');
});

it('what is lost with an environment is counted and named', () => {
  expect(environments.lostStates(1)).toMatch(/^the states of 1 flag here, /);
  expect(environments.lostKeys(0, [])).toBe('no API keys: none is in use');
  expect(environments.lostKeys(1, ['shop'])).toBe(
    '1 API key in use: shop. Apps that use it are refused right away',
  );
  expect(environments.lostKeys(2, ['shop', 'web'])).toBe(
    '2 API keys in use: shop and web. Apps that use them are refused right away',
  );
});

it('what is lost with a project is counted', () => {
  expect(projects.lostEnvironments(1)).toBe('1 environment, and its API keys');
  expect(projects.lostEnvironments(3)).toBe('3 environments, and their API keys');
});
