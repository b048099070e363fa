import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { place } from './places';
import { until } from './until';

/** Another control plane on the same database, which a test may stop and start again without disturbing others. */
export class Replica {
  private process: ChildProcess | null = null;

  private constructor(
    private readonly ports: readonly number[],
    private readonly settings: Record<string, string>,
  ) {}

  /** With more settings, or others, than the main one has. */
  static async start(settings: Record<string, string> = {}): Promise<Replica> {
    const replica = new Replica(await Promise.all([freePort(), freePort(), freePort()]), settings);
    await replica.start();
    return replica;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.ports[0]}`;
  }

  async start(): Promise<void> {
    const [http, quic, admin] = this.ports;
    this.process = spawn(join(place.programs, 'halyard'), ['serve'], {
      stdio: 'ignore',
      env: {
        ...process.env,
        CONTROL_HTTP_ADDR: `127.0.0.1:${http}`,
        CONTROL_QUIC_ADDR: `127.0.0.1:${quic}`,
        CONTROL_ADMIN_ADDR: `127.0.0.1:${admin}`,
        // An edge of its own would be waited for by the writes of other tests when it is gone.
        CONTROL_BUILTIN_EDGE: 'false',
        APP_BASE_URL: this.origin,
        ...this.settings,
      },
    });
    await until('control plane', async () => {
      const answer = await fetch(`${this.origin}/ready`).catch(() => null);
      return answer?.ok ? true : undefined;
    });
  }

  /** As when the machine goes: nothing is said in farewell. */
  async stop(): Promise<void> {
    const { process } = this;
    this.process = null;
    if (process === null) return;
    const gone = once(process, 'exit');
    process.kill('SIGKILL');
    await gone;
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
