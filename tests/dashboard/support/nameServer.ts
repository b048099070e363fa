import { createSocket, type Socket } from 'node:dgram';
import { place } from './places';

/** The name server that the service asks, with the TXT records that a test gives it. One test at a time can have it. */
export class NameServer {
  private readonly records = new Map<string, string[]>();

  private constructor(private readonly socket: Socket) {}

  static async start(): Promise<NameServer> {
    const socket = createSocket('udp4');
    const server = new NameServer(socket);
    socket.on('message', (question, from) => socket.send(server.answer(question), from.port, from.address));
    const { hostname, port } = new URL(`udp://${place.nameServer}`);
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind(Number(port), hostname, resolve);
    });
    return server;
  }

  /** Gives a name a record beside those that it has. */
  add(name: string, text: string): void {
    this.records.set(name, [...(this.records.get(name) ?? []), text]);
  }

  stop(): void {
    this.socket.close();
  }

  /** The answer to a question for TXT records (RFC 1035, 4.1): that there is no such name, or its records. */
  private answer(question: Buffer): Buffer {
    const labels: string[] = [];
    let at = 12;
    for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
      labels.push(question.toString('ascii', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const texts = this.records.get(labels.join('.').toLowerCase());
    const head = [0x85, texts === undefined ? 0x83 : 0x80, 0, 1, 0, texts?.length ?? 0, 0, 0, 0, 0];
    const answers = (texts ?? []).map(text => {
      // The name of the question, TXT, IN, a minute.
      const fixed = [0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60, 0, text.length + 1, text.length];
      return Buffer.concat([Buffer.from(fixed), Buffer.from(text, 'ascii')]);
    });
    return Buffer.concat([
      question.subarray(0, 2),
      Buffer.from(head),
      question.subarray(12, at + 5),
      ...answers,
    ]);
  }
}
