// Asks for a flag: `HALYARD_API_KEY=srv_… node examples/first-flag.mjs https://edge.example.com new-checkout`.

import { Client, Context } from '@halyard/node';

const key = process.env.HALYARD_API_KEY;
const [url, flag] = process.argv.slice(2);

// In the README from here …
const client = await Client.start({ key, url });
const user = new Context('user-1', { plan: 'pro' });
const isOn = client.boolean(flag, user, false);
console.log(`${flag} is ${isOn ? 'on' : 'off'}`);
await client.close();
// … to here.
