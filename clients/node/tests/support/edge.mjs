// An edge of its own for a test, which serves a file that the test rewrites.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './until.mjs';

export const KEY = 'srv_test';

/** The flags that tests ask for; `live` is the value of the one that changes. */
const flags = live => ({
  environments: [{ slug: 'dev' }],
  flags: {
    'new-checkout': on({}, { rules: [{ conditions: [inCountry('NL')] }] }),
    'of-off': { environments: { dev: { enabled: false } } },
    'of-text': on({ flag_type: 'string', default_value: 'off' }, { default_value: 'hello' }),
    'of-empty-text': on({ flag_type: 'string', default_value: 'off' }, { default_value: '' }),
    'of-number': on({ flag_type: 'number', default_value: 0 }, { default_value: 2.5 }),
    'of-object': on(
      { flag_type: 'json', default_value: {} },
      { default_value: { size: 3, tags: ['a', 'b'] } },
    ),
    'of-variant': on(
      { flag_type: 'ab', default_value: 'none' },
      { variants: [{ key: 'treatment', value: 'new', weight: 10000 }] },
    ),
    'of-live': on({ flag_type: 'string', default_value: 'off' }, { default_value: live }),
  },
});

const on = (flag, state) => ({ ...flag, environments: { dev: { enabled: true, ...state } } });
const inCountry = country => ({ attribute: 'country', operator: 'eq', values: [country] });

/** Starts an edge; it ends with the test. */
export async function startEdge(t) {
  const bin = process.env.HALYARD_BIN_DIR;
  if (!bin) throw new Error('HALYARD_BIN_DIR is not set: the folder with halyard-edge');
  const folder = mkdtempSync(join(tmpdir(), 'halyard-node-'));
  const file = join(folder, 'flags.json');
  const port = await freePort();
  const set = live => {
    writeFileSync(`${file}.new`, JSON.stringify(flags(live)));
    renameSync(`${file}.new`, file);
  };
  set('v0');
  const url = `http://127.0.0.1:${port}`;
  let edge;
  const start = async () => {
    const { EDGE_UPSTREAM, EDGE_IDENTITY, EDGE_CACHE_DIR, ...inherited } = process.env;
    const env = {
      ...inherited,
      EDGE_HTTP_ADDR: `127.0.0.1:${port}`,
      EDGE_ADMIN_ADDR: '127.0.0.1:0',
      EDGE_FLAGS_KEYS: `dev=${KEY}`,
      EDGE_FLAGS_USAGE: join(folder, 'usage'),
      SHUTDOWN_DELAY: '0',
      SSE_RETRY: '50ms',
      SSE_HEARTBEAT: '200ms',
    };
    edge = spawn(join(bin, 'halyard-edge'), ['--flags', file], { env, stdio: 'ignore' });
    await eventually('the edge answers', () =>
      fetch(`${url}/health`).then(
        answer => answer.ok,
        () => false,
      ),
    );
  };
  const stop = async () => {
    if (edge.exitCode !== null || edge.signalCode !== null) return;
    const ended = once(edge, 'exit');
    edge.kill('SIGKILL');
    await ended;
  };
  const clients = [];
  t.after(async () => {
    // Before it ends, so that they need not wait for it.
    await Promise.all(clients.map(client => client.close()));
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });
  await start();
  return { url, clients, folder, usage: join(folder, 'usage'), copy: join(folder, 'copy'), set, start, stop };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
