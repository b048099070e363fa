/** A context in the fragment of an address: browsers do not send it, so it is in no log. */
import { type Context, readJson } from './context';

const NAME = 'context';

export function fragmentOf(context: Context): string {
  return `#${new URLSearchParams({ [NAME]: JSON.stringify(context) })}`;
}

/** The context that a fragment carries; `null` when there is none, or none that can be read. */
export function contextOf(fragment: string): Context | null {
  const text = new URLSearchParams(fragment.replace(/^#/, '')).get(NAME);
  if (text === null) return null;
  const read = readJson(text);
  return read.ok ? read.context : null;
}
