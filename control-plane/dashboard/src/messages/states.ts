/** Text about failures of a page, loaded with the frame. */
import { agoToTheSecond, clock, dateTime, listOfAny, number, sentence } from './format';

/** People that are named; the others are counted. */
const NAMED = 3;

const PLANS: Record<string, string> = { trial: 'Trial', free: 'Free', pro: 'Pro', enterprise: 'Enterprise' };

const FEATURES: Record<string, { title: string; text: string }> = {
  mfa: {
    title: 'A second factor',
    text: 'Signing in then takes a password and a code from an authenticator app. Somebody who learns a password still cannot get in.',
  },
  'custom roles': {
    title: 'Roles of your own',
    text: 'A role then allows exactly the actions you choose, where the built-in roles allow too much or too little.',
  },
  scim: {
    title: 'Provisioning by SCIM',
    text: 'Your identity provider, such as Okta or Entra ID, then adds and removes members by itself.',
  },
};

const THINGS: Record<string, string> = {
  flag: 'flag',
  segment: 'segment',
  environment: 'environment',
  project: 'project',
};

function thing(kind: string): string {
  return THINGS[kind] ?? kind;
}

/** An action of the audit trail in words: `flag.state_updated` is "state updated". */
function deed(action: string): string {
  return action.slice(action.indexOf('.') + 1).replaceAll('_', ' ');
}

/** Any one of them. */
function people(names: readonly string[]): string {
  const others = names.length - NAMED;
  return listOfAny(others > 0 ? [...names.slice(0, NAMED), `${number(others)} others`] : names);
}

export const states = {
  askOwners: (names: readonly string[]) => `Ask an owner: ${people(names)}.`,
  askAnOwner: () => 'Ask an owner of your organization.',
  askAdmins: (names: readonly string[]) => `Ask ${people(names)} to change what your role may do.`,
  askAnAdmin: () => 'An owner or admin of your organization can change what your role may do.',

  feature: (feature: string) => FEATURES[feature]?.title ?? sentence(feature),
  featureText: (feature: string) => FEATURES[feature]?.text ?? '',
  /** Which plan has it, and which one the organization has; `null` for what is not known. */
  plans: (has: string | null, own: string | null) =>
    [
      has === null ? '' : `Part of the ${PLANS[has] ?? has} plan.`,
      own === null ? '' : `Your organization has the ${PLANS[own] ?? own} plan.`,
    ]
      .filter(part => part !== '')
      .join(' '),
  planTitle: () => 'Your plan does not allow this',
  upgrade: () => 'You are an owner, so you can upgrade.',
  seePlans: () => 'See plan and price',

  goneTitle: (kind: string, key: string) => `There is no ${thing(kind)} “${key}”`,
  gone: (kind: string) =>
    `This ${thing(kind)} was deleted, or the address belongs to another organization or is misspelt.`,
  deletedTitle: (kind: string, key: string) => `The ${thing(kind)} “${key}” was deleted`,
  deletedMeanwhile: (kind: string) =>
    `Somebody deleted this ${thing(kind)} meanwhile. What you see is how it was, and nothing can be saved here.`,
  showTrail: () => 'Leave it and see what happened',
  trail: () => 'What happened to it',
  deed: (action: string) => sentence(deed(action)),
  by: (name: string | null) => name ?? 'The system',
  at: (iso: string) => dateTime(iso),
  noTrail: () => 'Your role may not read the audit trail, which says who deleted it.',

  changed: (who: string | null, iso: string, now: number) =>
    `Changed ${agoToTheSecond(iso, now)} by ${who ?? 'somebody else'}.`,
  changedText: () => 'What you see is what was there before.',
  show: () => 'Show',

  offline: () =>
    'You are offline. What is shown may be old, and nothing can be saved until the connection is back.',
  unreachable: () =>
    'The service cannot be reached. What is shown may be old, and nothing can be saved meanwhile.',
  fault: (status: number) =>
    `The service does not answer as it should (status ${status}). What is shown may be old.`,
  wait: (message: string) => `The service asks to slow down: ${message}. What is shown may be old.`,
  request: (id: string) => `Request ${id}`,
  retryIn: (seconds: number) => `Trying again in ${clock(seconds)}.`,
  retrying: () => 'Trying again.',
  polling: () =>
    'The event stream is not connected. The page asks every 10 seconds instead, so changes by others appear late.',

  sameByApi: () => 'The same by the API',
  apiToken: () => 'HALYARD_TOKEN is the access token of a login.',
  copyCommand: () => 'Copy the command',
};
