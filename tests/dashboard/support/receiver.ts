import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  path: string;
  headers: Record<string, string>;
  body: Buffer;
}

/** Receives webhooks on loopback, and answers as a test says: 200 unless told otherwise. */
export class Receiver {
  readonly received: Received[] = [];
  private statuses: number[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Receiver> {
    const server = createServer();
    const receiver = new Receiver(server);
    server.on('request', (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', part => parts.push(part));
      request.on('end', () => {
        const headers = request.headers as Record<string, string>;
        receiver.received.push({ path: request.url ?? '', headers, body: Buffer.concat(parts) });
        response.writeHead(receiver.statuses.shift() ?? 200).end('thanks');
      });
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  url(path = '/'): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
  }

  /** The next answers have these statuses. */
  answers(...statuses: number[]): void {
    this.statuses.push(...statuses);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }
}
