/** Makes all messages longer, as other languages are. Only a build with `HALYARD_TEXT=long` has it. */

const SHARE = 0.4;
const WORD = 'ôôôôôô ';
const done = new WeakSet<object>();

/** A text with as many more letters, in words that can be broken between. */
export function longer(text: string): string {
  const missing = Math.ceil(text.length * SHARE);
  if (text.trim() === '') return text;
  return `${text} ${WORD.repeat(Math.ceil(missing / WORD.length))}`.slice(0, text.length + missing).trimEnd();
}

/** Lengthens what each function of the messages answers, in place; the others see it so, whichever was loaded first. */
export function lengthen(messages: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(messages)) {
    if (typeof value === 'object' && value !== null) lengthen(value as Record<string, unknown>);
    if (typeof value !== 'function' || done.has(value)) continue;
    const long = (...given: unknown[]) => {
      const text: unknown = value(...given);
      return typeof text === 'string' ? longer(text) : text;
    };
    done.add(long);
    messages[name] = long;
  }
}
