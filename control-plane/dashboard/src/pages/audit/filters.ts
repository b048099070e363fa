/** The choices of filters, and what they are in the address. */
import type { Filter } from './queries';

export type Range = 'any' | 'hour' | 'day' | 'week' | 'month' | 'custom';

const SPANS: Partial<Record<Range, number>> = {
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
  month: 2_592_000_000,
};

/** The range that the address has: one with other ends than those of a choice is a custom one. */
export function rangeOf({ from, to }: Filter, now: number): Range {
  if (from === undefined && to === undefined) return 'any';
  if (from === undefined || to !== undefined) return 'custom';
  const span = now - Date.parse(from);
  const fits = Object.entries(SPANS).find(([, size]) => Math.abs(span - size) < size / 10);
  return (fits?.[0] as Range | undefined) ?? 'custom';
}

/** The beginning of a chosen range, to the minute. */
export function fromOf(range: Range, now: number): string | undefined {
  const span = SPANS[range];
  if (span === undefined) return undefined;
  return new Date(Math.floor((now - span) / 60_000) * 60_000).toISOString();
}

/** A day as a person reads it: from its beginning, or to its end, in their zone. */
export function dayToIso(day: string, isEnd: boolean): string | undefined {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day);
  if (parts === null) return undefined;
  const [, year, month, date] = parts.map(Number);
  const at = new Date(year ?? 0, (month ?? 1) - 1, (date ?? 1) + (isEnd ? 1 : 0));
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

/** The day for a date field; the end of a range is the day before midnight. */
export function isoToDay(iso: string | undefined, isEnd: boolean): string {
  if (iso === undefined || Number.isNaN(Date.parse(iso))) return '';
  const at = new Date(Date.parse(iso) - (isEnd ? 1 : 0));
  const two = (value: number) => String(value).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** A kind of thing, or one action, as one choice. */
export function actionChoice({ action, resource_type }: Filter): string {
  if (action !== undefined) return action;
  return resource_type === undefined ? 'any' : `${resource_type}.*`;
}

export function actionFilter(choice: string): Pick<Filter, 'action' | 'resource_type'> {
  if (choice === 'any') return {};
  return choice.endsWith('.*') ? { resource_type: choice.slice(0, -2) } : { action: choice };
}

export type FilterName = keyof Filter;

/** The filters that are set, in the order in which they are shown. */
export function setFilters(filter: Filter): FilterName[] {
  const names: FilterName[] = [
    'q',
    'project_id',
    'env_id',
    'actor_id',
    'action',
    'resource_type',
    'resource_id',
    'from',
    'to',
  ];
  return names.filter(name => filter[name] !== undefined);
}
