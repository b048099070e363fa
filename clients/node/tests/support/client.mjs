// Clients that tests make.

import { Client, Context } from '@halyard/node';
import { KEY } from './edge.mjs';

export const ADA = new Context('ada', { country: 'NL' });
export const BOB = new Context('bob', { country: 'BE' });

/** A client that ends with the test, and what it told. */
export async function startClient(edge, settings = {}) {
  const client = await Client.start({ key: KEY, url: edge.url, ...settings });
  edge.clients.push(client);
  const told = { change: [], status: [] };
  for (const event of Object.keys(told)) client.on(event, news => told[event].push(news));
  return { client, told, live: () => client.string('of-live', ADA, 'none') };
}
