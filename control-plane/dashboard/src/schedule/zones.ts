/** Times of day in a time zone, and the instants that they are. */

/** The browser's own zone. */
export function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The browser's zone and UTC, then all that the browser knows. */
export function knownZones(): string[] {
  return [...new Set([localZone(), 'UTC', ...Intl.supportedValuesOf('timeZone')])];
}

/** An instant as `2026-11-24T09:00`, with seconds where it has any. */
export function localTime(iso: string, zone = localZone()): string {
  const at = Date.parse(iso);
  const text = new Date(at + offset(at, zone)).toISOString().slice(0, 19);
  return text.endsWith(':00') ? text.slice(0, 16) : text;
}

interface Read {
  /** The instant; `null` while the field is not filled in. */
  iso: string | null;
  /** Clocks go forward over the time, so it does not exist there: the instant is as much later. */
  isSkipped: boolean;
}

/** The instant of a time in a zone: the first one where clocks go back over it. */
export function readTime(local: string, zone = localZone()): Read {
  const wall = Date.parse(`${local}Z`);
  if (Number.isNaN(wall)) return { iso: null, isSkipped: false };
  const [first] = instantsOf(wall, zone);
  return { iso: isoOf(first ?? wall - offset(wall - DAY, zone)), isSkipped: first === undefined };
}

/** Which of two it is, where clocks go back over a time; `null` for a time that comes once. */
export function occurrence(iso: string, zone = localZone()): 'first' | 'second' | null {
  const at = Date.parse(iso);
  const found = instantsOf(at + offset(at, zone), zone);
  return found.length < 2 ? null : found[0] === at ? 'first' : 'second';
}

export function isoOf(at: number): string {
  return new Date(at).toISOString().replace('.000Z', 'Z');
}

const DAY = 86_400_000;

/** All instants at which clocks show a time: none, one or two. A zone changes its distance from UTC once a day at most. */
function instantsOf(wall: number, zone: string): number[] {
  const offsets = new Set([offset(wall - DAY, zone), offset(wall + DAY, zone)]);
  return [...offsets]
    .map(distance => wall - distance)
    .filter(at => at + offset(at, zone) === wall)
    .sort((a, b) => a - b);
}

/** How far the clocks of a zone are ahead of UTC, in milliseconds. */
export function offset(at: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).formatToParts(at);
  const of = (type: string) => parts.find(part => part.type === type)?.value ?? '';
  const day = `${of('year').padStart(4, '0')}-${of('month')}-${of('day')}`;
  const wall = Date.parse(`${day}T${of('hour')}:${of('minute')}:${of('second')}Z`);
  return wall - Math.floor(at / 1000) * 1000;
}
