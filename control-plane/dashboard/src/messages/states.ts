/** Text about failures of a page, loaded with the frame. */
import { agoToTheSecond, clock } from './format';

const THINGS: Record<string, string> = {
  flag: 'flag',
  segment: 'segment',
  environment: 'environment',
  project: 'project',
};

export function thing(kind: string): string {
  return THINGS[kind] ?? kind;
}

export const states = {
  deletedMeanwhile: (kind: string) =>
    `Someone else deleted this ${thing(kind)}. You see its last version, and nothing can be saved here.`,
  showTrail: () => 'Leave and see who deleted it',
  changed: (who: string | null, iso: string, now: number) =>
    `Changed ${agoToTheSecond(iso, now)} by ${who ?? 'someone else'}.`,
  changedText: () => 'You see the earlier version.',
  show: () => 'Show',

  offline: () =>
    'You are offline. What is shown may be old, and nothing can be saved until the connection is back.',
  unreachable: () =>
    'The service cannot be reached. What is shown may be old, and nothing can be saved until it can.',
  fault: (status: number) =>
    `The service does not answer as it should (status ${status}). What is shown may be old.`,
  wait: (message: string) => `The service asks to slow down: ${message}. What is shown may be old.`,
  request: (id: string) => `Request ${id}`,
  retryIn: (seconds: number) => `Trying again in ${clock(seconds)}.`,
  retrying: () => 'Trying again.',
  polling: () => 'Not live: changes by others appear within 10 seconds.',

  sameByApi: () => 'Do this with the API',
  apiToken: () => 'HALYARD_TOKEN is the access token of a login.',
  copyCommand: () => 'Copy the command',
};
