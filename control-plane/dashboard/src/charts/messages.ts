import { dateTime, list, number, shortDate } from '../messages/format';
import { sum, type Timeline } from './series';

const DAY = 86_400;

function time(seconds: number, step: number): string {
  const iso = new Date(seconds * 1000).toISOString();
  return step >= DAY ? `${shortDate(iso, 'UTC')} (UTC)` : dateTime(iso);
}

/** The text of charts. */
export const charts = {
  role: () => 'chart',
  about: (label: string) => `${label}, chart`,
  keys: () => 'Use the arrow keys to read the steps one by one. A table with the same numbers is below.',
  hint: () =>
    'Totals for the whole range. Hover over the chart, or focus it and use the arrow keys, to read one point.',
  lines: () => 'Lines of the chart',
  asTable: () => 'Show as a table',
  tableOf: (label: string) => `${label}, as a table`,
  timeColumn: () => 'Time',
  total: () => 'Total',
  time,
  summary: ({ at, step, lines }: Timeline) => {
    const [first, last] = [at[0], at.at(-1)];
    if (first === undefined || last === undefined) return 'No steps.';
    const totals = lines.map(({ label, counts }) => `${label}: ${number(sum(counts))}`);
    return `From ${time(first, step)} to ${time(last, step)}. ${list(totals)}.`;
  },
  point: ({ at, step, lines }: Timeline, index: number, total: number) =>
    `${time(at[index] ?? 0, step)}: ${number(total)}. ${list(
      lines.map(({ label, counts }) => `${label}: ${number(counts[index] ?? 0)}`),
    )}`,
};
