import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { place } from './places';
import { until } from './until';

/** The mails to one address, in the order in which they left. */
export class Mailbox {
  private read = 0;

  constructor(readonly address: string) {}

  /** The text of the next mail. */
  async next(): Promise<string> {
    const mail = await until(`mail to ${this.address}`, async () => (await this.all())[this.read]);
    this.read += 1;
    return mail;
  }

  /** The six digits in the next mail that has some. */
  async code(): Promise<string> {
    for (;;) {
      const code = /^\s*(\d{6})\s*$/m.exec(await this.next())?.[1];
      if (code !== undefined) return code;
    }
  }

  /** The first link of the next mail that has one on a line of its own. */
  async link(): Promise<string> {
    for (;;) {
      const link = /^\s*(https?:\S+)\s*$/m.exec(await this.next())?.[1];
      if (link !== undefined) return link;
    }
  }

  private async all(): Promise<string[]> {
    const files = (await readdir(place.mail)).filter(name => name.endsWith('.eml')).sort();
    const mails = await Promise.all(files.map(name => readFile(join(place.mail, name), 'utf8')));
    return mails.filter(mail => mail.includes(`To: ${this.address}`)).map(unfolded);
  }
}

/** Quoted-printable lines put together again. */
function unfolded(mail: string): string {
  return mail
    .replaceAll('\r\n', '\n')
    .replace(/=\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
