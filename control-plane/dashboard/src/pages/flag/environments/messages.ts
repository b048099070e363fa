import { shownValue } from '../../../flagState/values';
import { basisPoints, dateTimeZone, number, plural } from '../../../messages/format';

export const besides = {
  title: () => 'The flag in all environments',
  text: (environment: string) =>
    `The saved state in every environment, compared with ${environment}. Choose another environment to compare with it.`,
  environment: () => 'Environment',
  state: () => 'State',
  differences: (environment: string) => `Different from ${environment}`,
  here: () => 'Compared with this one',
  same: () => 'No differences',
  promote: () => 'Promote',
  promoteHere: () => 'Promote here',
  promoteTo: (from: string, to: string) => `Promote here: ${from} to ${to}`,
  first: (shown: number, all: number) =>
    `The first ${number(shown)} of ${number(all)} environments are shown.`,
  isOn: (isOn: boolean) => (isOn ? 'On' : 'Off'),
  everyoneGets: (value: unknown) => `everyone gets ${shownValue(value)}`,
  value: (value: unknown) => `value ${shownValue(value)}`,
  rules: (count: number) => plural(count, 'rule', 'rules'),
  rollout: (points: number) => `rollout ${basisPoints(points)}`,
  variants: (count: number) => plural(count, 'variant', 'variants'),
  enableAt: (iso: string) => `turns on ${dateTimeZone(iso)}`,
  disableAt: (iso: string) => `turns off ${dateTimeZone(iso)}`,
};
