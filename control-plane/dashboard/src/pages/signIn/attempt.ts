/**
 * A sign-in at a provider that this tab began: the key by which the service knows the tab again, and where to go afterwards. It is
 * taken out when the provider sends the browser back, and is of no use without what the provider sends.
 */
const KEPT = 'halyard.attempt';

interface Attempt {
  key: string;
  next: string | undefined;
}

/** Whether the tab could keep it. */
export function keepAttempt(attempt: Attempt): boolean {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(attempt));
    return true;
  } catch {
    return false;
  }
}

export function takeAttempt(): Attempt | null {
  try {
    const kept = sessionStorage.getItem(KEPT);
    sessionStorage.removeItem(KEPT);
    return kept === null ? null : JSON.parse(kept);
  } catch {
    return null;
  }
}
