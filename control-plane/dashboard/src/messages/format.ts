/** The interface is in English: numbers and dates follow the reader's kind of it. */
const LOCALE = globalThis.navigator?.languages?.find(language => /^en(-|$)/.test(language)) ?? 'en-GB';

const numbers = new Intl.NumberFormat(LOCALE);
const percents = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 2 });
const dates = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium' });
const times = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' });
const moments = new Intl.DateTimeFormat(LOCALE, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const zoned = new Intl.DateTimeFormat(LOCALE, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
});
const utc = new Intl.DateTimeFormat(LOCALE, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
  timeZoneName: 'short',
});
const clocks = new Intl.DateTimeFormat(LOCALE, { hour: '2-digit', minute: '2-digit' });
const days = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short' });
const daysInUtc = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const short = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumFractionDigits: 1 });
const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' });
const relativeShort = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto', style: 'short' });
const lists = new Intl.ListFormat(LOCALE, { type: 'conjunction' });
const anyOf = new Intl.ListFormat(LOCALE, { type: 'disjunction' });
const plurals = new Intl.PluralRules(LOCALE);

export function number(value: number): string {
  return numbers.format(value);
}

/** Basis points, as the API counts shares, as per cent. */
export function basisPoints(value: number): string {
  return percents.format(value / 10_000);
}

export function date(iso: string): string {
  return dates.format(new Date(iso));
}

/** Day and month, for a scale of days. */
export function shortDate(iso: string, zone?: 'UTC'): string {
  return (zone === 'UTC' ? daysInUtc : days).format(new Date(iso));
}

/** The time of day, for a scale of hours. */
export function clockTime(iso: string): string {
  return clocks.format(new Date(iso));
}

/** `1.2K`, for a scale of numbers. */
export function compact(value: number): string {
  return short.format(value);
}

export function dateTime(iso: string): string {
  return times.format(new Date(iso));
}

/** Day and time, where space is short; the year only when it is not that of `now`. */
export function moment(iso: string, now: number): string {
  const then = new Date(iso);
  const isThisYear = then.getFullYear() === new Date(now).getFullYear();
  return (isThisYear ? moments : times).format(then);
}

/** With the time zone, where a time is one that somebody else has to understand too. */
export function dateTimeZone(iso: string): string {
  return zoned.format(new Date(iso));
}

/** In UTC, beside a time of the reader's own zone. */
export function dateTimeUtc(iso: string): string {
  return utc.format(new Date(iso));
}

export function list(items: readonly string[]): string {
  return lists.format(items);
}

/** Any one of them: `a, b or c`. */
export function listOfAny(items: readonly string[]): string {
  return anyOf.format(items);
}

/** `one` for exactly one, else `other`; the number is a part of both. */
export function plural(count: number, one: string, other: string): string {
  return `${number(count)} ${plurals.select(count) === 'one' ? one : other}`;
}

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** How long ago, in the largest unit that fits. */
export function ago(iso: string, now: number, words = relative): string {
  const seconds = Math.round((Date.parse(iso) - now) / 1000);
  for (const [unit, size] of STEPS) {
    if (Math.abs(seconds) >= size) return words.format(Math.trunc(seconds / size), unit);
  }
  return words.format(0, 'second');
}

/** The same where space is short: `3 min ago`. */
export function agoShort(iso: string, now: number): string {
  return ago(iso, now, relativeShort);
}

/** As `ago`, to the second: for what happened a moment ago. */
export function agoToTheSecond(iso: string, now: number): string {
  const seconds = Math.min(0, Math.round((Date.parse(iso) - now) / 1000));
  return seconds > -60 ? relative.format(seconds, 'second') : ago(iso, now);
}

/** Minutes and seconds, as on a clock: `0:07`, `14:59`. */
export function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** The service's sentences begin with a small letter, or with a field as the API names it, and have no full stop. */
export function sentence(words: string): string {
  const plain = words.replace(/^[a-z_]+/, field => (field === 'url' ? 'URL' : field.replaceAll('_', ' ')));
  const text = plain.charAt(0).toUpperCase() + plain.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
