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
    perMinute === 0 ? 'None in the last 5 minutes' : `${number(perMinute)} a minute`,
  dependants: () => 'Also stops',
  dependantsText: (keys: string, others: number) =>
    others > 0
      ? `${keys} and ${plural(others, 'other flag', 'other flags')} that need it`
      : `${keys}, which need it`,
  dependantText: (key: string) => `${key}, which needs it`,
  atOnce: () =>
    'It takes effect at once: without approval, and whatever somebody else has saved meanwhile. History and the audit trail show it as a kill. Rules, rollout and schedules stay as they are.',
  scheduled: (iso: string) => `A schedule switches it on again on ${dateTime(iso)}, unless you remove that.`,
  offAlready: () => 'It is off here already. Killing it again only adds to the audit trail.',
  typeSlug: (slug: string) => `Type ${slug} to confirm`,
  typeSlugText: (name: string) => `${name} is protected.`,
  confirm: (environment: string) => `Kill in ${environment}`,
  killed: (flag: string, environment: string) => `${flag} is off in ${environment}`,
  restoring: (flag: string, environment: string) => `${flag} is on again in ${environment}`,
  restore: () => 'Turn on again',
  changedSince: () =>
    'Somebody else changed it after the kill. Look at the flag before you turn it on again.',
  mayNot: (environment: string) => `Your role may not kill flags in ${environment}.`,
};
