import { dateTimeUtc } from '../messages/format';

export const scheduleWords = {
  zone: () => 'Time zone',
  zoneUnknown: () => 'Choose a time zone from the list.',
  timeSkipped: (local: string, zone: string) =>
    `Clocks in ${zone} skip ${local.replace('T', ' ')}. The time after the gap is set.`,
  timeTwice: (which: 'first' | 'second', zone: string) =>
    `Clocks in ${zone} show this time twice that day. This is the ${which} time.`,
  clearTime: (what: string) => `Clear “${what}”`,
  time: (iso: string) => dateTimeUtc(iso),
  quick: { hour: () => 'In 1 hour', tomorrow: () => 'Tomorrow 9:00' },
  quickFor: (what: string, quick: string) => `${what}: ${quick}`,
};
