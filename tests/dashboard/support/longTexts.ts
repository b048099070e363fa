import { existsSync, readFileSync } from 'node:fs';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { basename, extname, join } from 'node:path';
import { pipeline } from 'node:stream';
import { text } from 'node:stream/consumers';
import { place } from './places';

/**
 * Another build of the dashboard, in which every text is 40 % longer, as in other languages. It is served in front of the service, whose
 * answers pass through: a browser that hands each request to the test takes a third longer.
 */
export class LongTexts {
  private readonly service = new URL(place.api);
  private readonly agent = new Agent({ keepAlive: true });
  private readonly shell = readFileSync(join(place.longTexts, 'index.html'), 'utf8');
  private readonly server = createServer((asked, answer) => this.answer(asked, answer));

  static async start(): Promise<LongTexts> {
    const texts = new LongTexts();
    await new Promise<void>(resolve => texts.server.listen(0, '127.0.0.1', resolve));
    return texts;
  }

  get origin(): string {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return `http://127.0.0.1:${address.port}`;
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
    this.agent.destroy();
  }

  private answer(asked: IncomingMessage, answer: ServerResponse): void {
    const { pathname } = new URL(asked.url ?? '/', place.api);
    const file = join(place.longTexts, basename(pathname));
    if (pathname.includes('/assets/') && existsSync(file)) {
      answer.setHeader('content-type', extname(file) === '.css' ? 'text/css' : 'text/javascript');
      answer.end(readFileSync(file));
      return;
    }
    const { hostname, port } = this.service;
    const { method, url: path } = asked;
    const headers = { ...asked.headers, 'accept-encoding': 'identity' };
    const passed = request({ agent: this.agent, hostname, port, method, path, headers }, given => {
      if (given.headers['content-type']?.startsWith('text/html')) {
        void this.replace(given, answer);
      } else {
        answer.writeHead(given.statusCode ?? 502, given.headers);
        pipeline(given, answer, () => {});
      }
    });
    passed.on('error', () => answer.destroy());
    pipeline(asked, passed, () => {});
    answer.on('close', () => passed.destroy());
  }

  /** The page of the other build, which loads its files from where the service has its own. */
  private async replace(given: IncomingMessage, answer: ServerResponse): Promise<void> {
    const folder = /"([^"]*\/)app\.js"/.exec(await text(given))?.[1];
    const page =
      folder === undefined ? 'no page of the dashboard' : this.shell.replaceAll('"./', `"${folder}`);
    const { 'content-length': _length, 'content-encoding': _encoding, ...headers } = given.headers;
    answer.writeHead(folder === undefined ? 502 : (given.statusCode ?? 502), headers);
    answer.end(page);
  }
}
