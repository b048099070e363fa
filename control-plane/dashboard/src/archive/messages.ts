import { number, plural } from '../messages/format';

/** The text around archiving a flag. */
export const archiving = {
  text: () =>
    'Apps that still ask for the flag get the fallback in their own code. You can restore it with its states and history, or delete it for good, from the archived flags.',
  archive: () => 'Archive the flag',
  title: (key: string) => `Archive ${key}?`,
  dependants: (count: number) =>
    count === 1
      ? '1 flag requires this one. It will serve its default value to everyone:'
      : `${number(count)} flags require this one. They will serve their default values to everyone:`,
  referenced: (lines: number) =>
    `Code still names it on ${plural(lines, 'line', 'lines')}, as of the last scans.`,
  archived: (key: string) => `${key} is archived.`,
  changed: () => 'Someone else changed this flag. Review the change before you archive it.',
  dependantOn: (environments: string) => `on in ${environments}`,
  dependantOff: () => 'off everywhere',
  dependantsMore: (count: number) => `and ${number(count)} more`,
};
