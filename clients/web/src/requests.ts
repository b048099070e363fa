import { Problem } from './types.js';

/** A controller that ends with `parent` too. */
export function childOf(parent: AbortSignal): AbortController {
  const child = new AbortController();
  const end = () => child.abort(parent.reason);
  if (parent.aborted) end();
  parent.addEventListener('abort', end, { once: true });
  child.signal.addEventListener('abort', () => parent.removeEventListener('abort', end), { once: true });
  return child;
}

/** What a failed request says. A status that repeating does not change is a refusal. */
export async function problemOf(answer: Response): Promise<Problem> {
  const { status } = answer;
  const text = await answer.text().catch(() => '');
  const code =
    status === 429
      ? 'RATE_LIMITED'
      : status >= 400 && status < 500 && status !== 408
        ? 'REFUSED'
        : 'UNAVAILABLE';
  // Seconds, as the service has them. A timer takes no more than 31 bits.
  const seconds = Number(answer.headers.get('retry-after'));
  const wait = seconds > 0 ? Math.min(seconds * 1000, 2 ** 30) : undefined;
  return new Problem(code, `${status}: ${reasonIn(text)}`, status, wait);
}

/** The words of the service's own refusals. */
function reasonIn(text: string): string {
  try {
    const { error, errorDetails, errorCode } = JSON.parse(text);
    return String(error ?? errorDetails ?? errorCode);
  } catch {
    return text.slice(0, 200);
  }
}

/** Anything that was thrown, as a problem. */
export const asProblem = (thrown: unknown): Problem =>
  thrown instanceof Problem ? thrown : new Problem('UNREACHABLE', `no answer: ${thrown}`);
