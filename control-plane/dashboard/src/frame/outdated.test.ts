import { afterEach, expect, it, vi } from 'vitest';
import { isGone, isUnloaded } from './outdated';

afterEach(() => vi.unstubAllGlobals());

function answering(answer: () => Promise<Response>): void {
  vi.stubGlobal('fetch', answer);
}

it('a release is gone when the service does not have its files', async () => {
  answering(async () => new Response(null, { status: 404 }));
  expect(await isGone('/assets/old/frame.js')).toBe(true);
});

it('a service that has the files, fails, or does not answer says nothing of a newer release', async () => {
  answering(async () => new Response(null, { status: 200 }));
  expect(await isGone('/assets/new/frame.js')).toBe(false);
  answering(async () => new Response(null, { status: 503 }));
  expect(await isGone('/assets/new/frame.js')).toBe(false);
  answering(() => Promise.reject(new TypeError('Failed to fetch')));
  expect(await isGone('/assets/new/frame.js')).toBe(false);
});

it('an error of loading is told from a mistake in the page', () => {
  expect(isUnloaded(new TypeError('Failed to fetch dynamically imported module: /assets/1/flag.js'))).toBe(
    true,
  );
  expect(isUnloaded(new TypeError('error loading dynamically imported module: /assets/1/flag.js'))).toBe(
    true,
  );
  expect(isUnloaded(new TypeError('Importing a module script failed.'))).toBe(true);
  expect(isUnloaded(new TypeError("Cannot read properties of undefined (reading 'key')"))).toBe(false);
});
