// A thread with a client of its own, which tells of changes until it is ended.

import { parentPort, workerData } from 'node:worker_threads';
import { Client } from '@halyard/node';

const client = await Client.start(workerData);
const tell = () => parentPort.postMessage(client.string('of-live', { key: 'ada' }, 'none'));
client.on('change', tell);
tell();
parentPort.on('message', async () => {
  await client.close();
  parentPort.close();
});
