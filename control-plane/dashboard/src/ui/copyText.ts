import { t } from '../messages/open';
import { say, warn } from './say';

/** Copies a text, and says that it did. */
export async function copyText(text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(done);
  } catch {
    warn(t.common.copyFailed());
  }
}
