import { type BrowserContext, expect } from '@playwright/test';

/** Browsers log each answer of 400 and above; whether that was expected, a test says by the status. */
const REFUSED = /^Failed to load resource: the server responded with a status of (\d+)/;
/** What a request says whose other end is gone. */
const UNREACHABLE =
  /^Failed to load resource: net::ERR_(CACHE_MISS|CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|INTERNET_DISCONNECTED|INCOMPLETE_CHUNKED_ENCODING)/;
/** What the page itself says of one that it could not load. */
const UNLOADED = /^(Error: a page did not arrive|TypeError: Failed to fetch dynamically imported module): /;

/** Nothing may go wrong in a page without that its test says so beforehand. */
export class Watch {
  private readonly wrong: string[] = [];
  private readonly statuses = new Set<number>();
  private mayBeGone = false;

  /** Answers of this status are a part of the test. */
  expect(...statuses: number[]): void {
    for (const status of statuses) this.statuses.add(status);
  }

  /** The service is away for a part of the test. */
  expectAbsence(): void {
    this.mayBeGone = true;
  }

  async over(context: BrowserContext): Promise<void> {
    await context.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', event => {
        console.error(`policy violated: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
      });
    });
    context.on('weberror', error =>
      this.wrong.push(`thrown: ${error.error().stack ?? error.error().message}`),
    );
    context.on('console', message => {
      if (message.type() !== 'error') return;
      const text = message.text();
      const status = REFUSED.exec(text)?.[1];
      if (status !== undefined && this.statuses.has(Number(status))) return;
      if (this.mayBeGone && (UNREACHABLE.test(text) || UNLOADED.test(text))) return;
      this.wrong.push(`console: ${text} ${message.location().url}`);
    });
    context.on('response', response => {
      if (response.status() >= 500 && !this.statuses.has(response.status())) {
        this.wrong.push(`${response.status()} of ${response.url()}`);
      }
    });
  }

  verdict(): void {
    expect(this.wrong, 'nothing else went wrong in a page').toEqual([]);
  }
}
