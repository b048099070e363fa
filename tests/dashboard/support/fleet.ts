import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { place } from './places';
import { until } from './until';

/** The data region of tests with edges of their own: organizations of others do not wait for these. */
export const REGION = 'eu';

interface Start {
  /** Lets other edges connect to it. */
  isRelay?: boolean;
  /** The relay to connect to; else a control plane. */
  below?: ExtraEdge;
}

/** An edge of a test's own. */
export class ExtraEdge {
  private process: ChildProcess | null = null;

  private constructor(
    readonly name: string,
    private readonly folder: string,
    private readonly settings: Record<string, string>,
    private readonly http: string,
  ) {}

  static async start(name: string, { isRelay = false, below }: Start = {}): Promise<ExtraEdge> {
    const folder = await mkdtemp(join(tmpdir(), 'halyard-edge-'));
    const identity = join(folder, 'identity');
    const enroll = ['edge', 'enroll', '--name', name, '--region', REGION, '--out', identity];
    await promisify(execFile)(join(place.programs, 'halyard'), [...enroll, ...(isRelay ? ['--relay'] : [])]);
    return ExtraEdge.of(name, folder, identity, isRelay, below);
  }

  /** One whose files are in a folder already. */
  static async of(
    name: string,
    folder: string,
    identity: string,
    isRelay = false,
    below?: ExtraEdge,
  ): Promise<ExtraEdge> {
    const [http, admin, relay] = await Promise.all([freePort(), freePort(), freePort()]);
    const address = (port: number | undefined) => `127.0.0.1:${port}`;
    const edge = new ExtraEdge(
      name,
      folder,
      {
        EDGE_IDENTITY: identity,
        EDGE_UPSTREAM: below?.settings.EDGE_RELAY_ADDR ?? process.env.CONTROL_QUIC_ADDR ?? '',
        EDGE_CACHE_DIR: join(folder, 'cache'),
        EDGE_HTTP_ADDR: address(http),
        EDGE_ADMIN_ADDR: address(admin),
        SHUTDOWN_DELAY: '0',
        ...(isRelay ? { EDGE_RELAY_ADDR: address(relay) } : {}),
      },
      `http://${address(http)}`,
    );
    await edge.run();
    return edge;
  }

  async run(): Promise<void> {
    this.process = spawn(join(place.programs, 'halyard-edge'), {
      stdio: 'ignore',
      env: { ...process.env, ...this.settings },
    });
    await until(`edge ${this.name}`, async () => {
      const answer = await fetch(`${this.http}/ready`).catch(() => null);
      const body = answer?.ok ? ((await answer.json()) as { connected: boolean }) : null;
      return body?.connected === true ? true : undefined;
    });
  }

  /** It keeps its link, and does nothing, until it is resumed. */
  pause(): void {
    this.process?.kill('SIGSTOP');
  }

  resume(): void {
    this.process?.kill('SIGCONT');
  }

  /** Ends the process; it may be run again. */
  async stop(): Promise<void> {
    const { process } = this;
    this.process = null;
    if (process === null) return;
    const gone = once(process, 'exit');
    process.kill('SIGTERM');
    await gone;
  }

  /** Ends it, and revokes its certificates, so that no list of later tests has it. */
  async remove(): Promise<void> {
    await this.stop();
    await promisify(execFile)(join(place.programs, 'halyard'), ['edge', 'revoke', this.name]).catch(() => {});
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise(resolve => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
