/** Whether two values are the same as JSON, whatever the order of their members is. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, place) => isSame(item, b[place]));
  }
  const one = membersOf(a);
  const other = new Map(membersOf(b));
  return one.length === other.size && one.every(([name, value]) => isSame(value, other.get(name)));
}

function membersOf(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member !== undefined);
}
