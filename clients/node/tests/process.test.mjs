// The life of processes and threads.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { startClient } from './support/client.mjs';
import { KEY, startEdge } from './support/edge.mjs';
import { run, runFile } from './support/programs.mjs';
import { eventually } from './support/until.mjs';

const START = `
import { Client } from '@halyard/node';
const [key, url] = process.argv.slice(1);
const ada = { key: 'ada', attributes: { country: 'NL' } };
const client = await Client.start({ key, url });
`;
const LISTEN = `client.on('change', () => {}); client.on('status', () => {});`;

test('a process that forgets to close a client ends, also while somebody listens', async t => {
  const { url } = await startEdge(t);
  const ended = await run(`${START} ${LISTEN} console.log(client.boolean('new-checkout', ada, false));`, [
    KEY,
    url,
  ]);
  assert.deepEqual([ended.status, ended.output], [0, 'true']);
  assert.ok(ended.took < 4_000, `${ended.took} ms`);
});

test('a process that awaits start and close goes on until they are done', async t => {
  const { url } = await startEdge(t);
  const ended = await run(`${START} await client.close(); console.log('done');`, [KEY, url]);
  assert.deepEqual([ended.status, ended.output], [0, 'done']);
});

test('a process may exit at any time', async t => {
  const { url } = await startEdge(t);
  const ended = await run(`${START} ${LISTEN} client.close(); process.exit(3);`, [KEY, url]);
  assert.deepEqual([ended.status, ended.signal, ended.output], [3, null, '']);
});

function startThread(url) {
  const thread = new Worker(join(import.meta.dirname, 'programs/thread.mjs'), {
    workerData: { key: KEY, url },
  });
  const heard = [];
  thread.on('message', live => heard.push(live));
  const ended = new Promise((resolve, reject) => thread.on('exit', resolve).on('error', reject));
  return { thread, heard, ended };
}

test('threads of a process have clients of their own, and end with or without closing them', async t => {
  const edge = await startEdge(t);
  const own = await startClient(edge);
  const threads = [1, 2, 3].map(() => startThread(edge.url));
  await eventually('all started', () => threads.every(({ heard }) => heard.at(-1) === 'v0'));
  edge.set('v1');
  await eventually('all heard', () => threads.every(({ heard }) => heard.at(-1) === 'v1'));
  const [first, second, third] = threads;
  await first.thread.terminate();
  second.thread.postMessage('close');
  assert.equal(await second.ended, 0);
  edge.set('v2');
  await eventually('the others heard', () => third.heard.at(-1) === 'v2' && own.live() === 'v2');
  assert.equal(second.heard.at(-1), 'v1');
  await third.thread.terminate();
  edge.set('v3');
  await eventually('the process goes on', () => own.live() === 'v3');
});

test('a library that threads alone have loaded comes and goes with them', async t => {
  const edge = await startEdge(t);
  const ended = await runFile('programs/threads.mjs', [KEY, edge.url]);
  assert.deepEqual([ended.status, ended.signal, ended.output], [0, null, 'v0\nv0\nv0']);
});

test('processes that are forked start clients of their own', async t => {
  const edge = await startEdge(t);
  const { status, output } = await runFile('programs/cluster.mjs', [KEY, edge.url]);
  assert.deepEqual([status, output], [0, 'v0\nv0']);
});

test('a client that nobody holds ends, and one that somebody listens to does not', async t => {
  const { url } = await startEdge(t);
  const code = `
    import { setFlagsFromString } from 'node:v8';
    import { runInNewContext } from 'node:vm';
    import { Client } from '@halyard/node';
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('gc');
    const [key, url] = process.argv.slice(1);
    let ended = 0;
    const registry = new FinalizationRegistry(() => { ended += 1; });
    for (const listens of [false, false, true]) {
      const client = await Client.start({ key, url });
      if (listens) client.on('change', () => {});
      registry.register(client);
    }
    for (let round = 0; round < 50 && ended < 2; round += 1) {
      gc();
      await new Promise(resolve => setTimeout(resolve, 20));
    }
    console.log(ended);`;
  const { output } = await run(code, [KEY, url]);
  assert.equal(output, '2');
});
