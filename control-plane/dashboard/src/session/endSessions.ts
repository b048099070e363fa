import { api, outcome } from '../api/client';
import type { Refusal } from '../api/refusal';

/** A list may not name all sessions at once, so it is read again until it names no other; never without end. */
const MOST_ROUNDS = 20;

/** Ends one session, or all but this one. One that is gone already counts as ended. */
export async function endSessions(which: { id: string } | 'others'): Promise<Refusal | null> {
  if (which !== 'others') return endOne(which.id);
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const answer = await outcome(api.GET('/v1/auth/sessions'));
    if (!answer.ok) return answer.refusal;
    const others = answer.data.data.filter(session => !session.current);
    if (others.length === 0) return null;
    for (const { id } of others) {
      const refusal = await endOne(id);
      if (refusal !== null) return refusal;
    }
  }
  return null;
}

async function endOne(id: string): Promise<Refusal | null> {
  const answer = await outcome(
    api.DELETE('/v1/auth/sessions/{sessionID}', { params: { path: { sessionID: id } } }),
  );
  return answer.ok || answer.refusal.kind === 'absent' ? null : answer.refusal;
}
