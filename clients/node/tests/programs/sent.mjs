// A thread that asks for the contexts it is sent.

import { parentPort, workerData } from 'node:worker_threads';
import { Client } from '@halyard/node';

const { contexts, ...settings } = workerData;
const client = await Client.start(settings);
parentPort.postMessage(contexts.map(context => client.boolean('new-checkout', context, false)));
await client.close();
