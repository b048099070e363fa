// A process that loads the library in threads alone, one after the other.

import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

const [key, url] = process.argv.slice(2);
for (let round = 0; round < 3; round += 1) {
  const thread = new Worker(join(import.meta.dirname, 'thread.mjs'), { workerData: { key, url } });
  process.stdout.write(`${await new Promise(resolve => thread.on('message', resolve))}\n`);
  await thread.terminate();
}
