// A process that starts another one like it, after it had a client of its own.

import cluster from 'node:cluster';
import { Client } from '@halyard/node';

const [key, url] = process.argv.slice(2);
const client = await Client.start({ key, url });
process.stdout.write(`${client.string('of-live', { key: 'ada' }, 'none')}\n`);
if (cluster.isPrimary) cluster.fork().on('exit', status => process.exit(status));
else process.disconnect();
