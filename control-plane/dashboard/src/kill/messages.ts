import { dateTime, number, plural } from '../messages/format';

export const killing = {
  kill: (environment: string) => `Kill in ${environment}`,
  killIn: (key: string, environment: string) => `Kill ${key} in ${environment}`,
  title: (flag: string) => `Kill ${flag}`,
  where: () => 'Environment',
  instead: () => 'Everyone gets',
  insteadText: (value: string) => `${value}, the flag’s default value`,
  load: () => 'Evaluations',
  loadText: (perMinute: number) =>
    perMinute === 0 ? 'None in the last 5 minutes' : `${number(perMinute)} per minute`,
  dependants: () => 'Also stops',
  dependantsText: (keys: string, others: number) =>
    others > 0
      ? `${keys} and ${plural(others, 'other flag', 'other flags')} that require it`
      : `${keys}, which require it`,
  dependantText: (key: string) => `${key}, which requires it`,
  atOnce: () =>
    'Takes effect immediately and needs no approval. History and the audit log show it as a kill. Rules, rollout and schedules stay as they are.',
  scheduled: (iso: string) =>
    `A schedule turns it on again on ${dateTime(iso)}. Remove the schedule to keep it off.`,
  offAlready: () => 'It is already off here. Killing it again only adds an entry to the audit log.',
  typeSlug: (slug: string) => `Type ${slug} to confirm`,
  typeSlugText: (name: string) => `${name} is protected.`,
  confirm: (environment: string) => `Kill in ${environment}`,
  killed: (flag: string, environment: string) => `${flag} is off in ${environment}`,
  restoring: (flag: string, environment: string) => `${flag} is on again in ${environment}`,
  restore: () => 'Turn on again',
  changedSince: () => 'Someone else changed it after the kill. Check the flag before you turn it on again.',
  mayNot: (environment: string) => `Your role may not kill flags in ${environment}. Ask an owner or admin.`,
};
