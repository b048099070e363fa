/** A page with a draft asks before a sign-out drops it. */
type Question = () => Promise<boolean>;

let question: Question | null = null;

/** Asks `next` from now on; the answer takes it away again. */
export function askFirst(next: Question): () => void {
  question = next;
  return () => {
    if (question === next) question = null;
  };
}

/** Whether the user may be signed out: nothing is unsaved, or they agree to lose it. */
export async function mayDrop(): Promise<boolean> {
  return question === null || question();
}
