import { connect, createServer, type Server, type Socket } from 'node:net';
import { place } from './places';

/** Stands between a browser and the control plane, and cuts the connections when a test says so. */
export class Relay {
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly origin: string,
  ) {}

  static async start(): Promise<Relay> {
    const target = new URL(place.api);
    const server = createServer();
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const relay = new Relay(server, `http://127.0.0.1:${address.port}`);
    server.on('connection', socket => relay.join(socket, connect(Number(target.port), target.hostname)));
    return relay;
  }

  private join(...[near, far]: [Socket, Socket]): void {
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }

  /** All connections that there are now. New ones are let through. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  stop(): void {
    this.server.close();
    this.cut();
  }
}
