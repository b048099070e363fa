import { OpenFeature } from '@openfeature/server-sdk';
import { OFREPProvider } from '@openfeature/ofrep-provider';

const provider = new OFREPProvider({
  baseUrl: process.env.HALYARD_EDGE_URL,
  headers: [['X-API-Key', process.env.HALYARD_API_KEY]],
});
await OpenFeature.setProviderAndWait(provider);
const flags = OpenFeature.getClient();

// Asks the edge each time: about one user, with whatever rules may look at.
const user = { targetingKey: 'user-1', email: 'ada@acme.test', country: 'NL' };
const isNew = await flags.getBooleanValue('new-checkout', false, user);
console.log(isNew ? 'the new checkout' : 'the old checkout');
