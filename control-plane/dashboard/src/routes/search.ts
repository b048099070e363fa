/** The search part of addresses: plain text both ways, checked by each page. */
export type Search = Record<string, unknown>;

export function parseSearch(text: string): Search {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: Search): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== null && value !== '') parameters.append(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** The parameter as text; absent when it is empty. */
export function text(value: unknown): string | undefined {
  return value === undefined || value === null || value === '' ? undefined : String(value);
}

/** The parameter if it is one of `allowed`; a mistyped one counts as absent. */
export function oneOf<T extends string>(value: unknown, allowed: readonly T[]): T | undefined {
  return allowed.find(candidate => candidate === value);
}

/** Whether it is `true`; absent otherwise. */
export function isTrue(value: unknown): true | undefined {
  return String(value) === 'true' ? true : undefined;
}

/** Leaves out what is undefined, as exact optional types want it. */
export function present<T extends object>(search: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as never;
}
