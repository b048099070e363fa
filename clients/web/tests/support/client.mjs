// Clients that tests make, and what they have to see of them.

import { createClient } from '../../dist/index.js';
import { KEY } from './edge.mjs';

export const ADA = { key: 'ada', attributes: { country: 'NL' } };
export const BOB = { key: 'bob', attributes: { country: 'BE' } };

/** Short enough for tests. */
export const TIMING = { shortest: 20, longest: 200, gap: 20, poll: 50, refused: 60_000 };

/** A storage like the browser's. */
export function memory(items = {}) {
  const map = new Map(Object.entries(items));
  return {
    map,
    getItem: name => map.get(name) ?? null,
    setItem: (name, text) => void map.set(name, text),
    removeItem: name => void map.delete(name),
  };
}

/** A client that ends with the test, with the requests that it made and the events that it told. */
export function make(t, url, options = {}) {
  const requests = [];
  const events = { change: [], status: [], error: [] };
  const client = createClient({
    key: KEY,
    url,
    context: ADA,
    storage: null,
    ...options,
    timing: { ...TIMING, ...options.timing },
    fetch: async (address, init) => {
      const request = { path: new URL(address).pathname, headers: init.headers, at: Date.now() };
      requests.push(request);
      const answer = await fetch(address, init);
      request.status = answer.status;
      return answer;
    },
  });
  for (const event of Object.keys(events)) client.on(event, told => events[event].push(told));
  t.after(() => client.close());
  const statuses = path =>
    requests.filter(request => request.path.includes(path)).map(({ status }) => status);
  return { client, requests, events, statuses, codes: () => events.error.map(({ code }) => code) };
}
