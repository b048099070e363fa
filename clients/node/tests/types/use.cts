// The same for modules of CommonJS.

import halyard = require('@halyard/node');
import openfeature = require('@halyard/node/openfeature');

export async function isOn(): Promise<boolean> {
  const client: halyard.Client = await halyard.Client.start({ key: 'srv_x', url: 'https://edge.example' });
  const provider = new openfeature.HalyardProvider(client);
  return provider.client?.boolean('a', new halyard.Context('user-1'), false) ?? false;
}
