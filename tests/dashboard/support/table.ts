/** The states of the design that each page has, what shows each, and why a page has no other. */

import paths from '../../../control-plane/dashboard/src/routes/paths.json' with { type: 'json' };
import { SCENES, type Scene, type State } from './scenes/index';

export const PAGES: readonly string[] = paths;

export const STATES = [
  'loading',
  'loaded',
  'empty',
  'noMatch',
  'refused',
  'dialog',
  'plan',
  'forbidden',
  'missing',
  'conflict',
  'unavailable',
] as const satisfies readonly (State | 'loading' | 'unavailable')[];

/** Scenes of this page and state. */
const scene = { by: 'scene' } as const;
/** `states.spec.ts`, which holds the requests of the page and cuts them off. */
const held = { by: 'held' } as const;
/** A test by its file and its title. */
const test = (file: string, title: string) => ({ by: 'test', file: `${file}.spec.ts`, title }) as const;
/** The page cannot be in this state. */
const no = (why: string) => ({ by: 'none', why }) as const;

export type Cell = typeof scene | typeof held | ReturnType<typeof test> | ReturnType<typeof no>;
type Row = Record<(typeof STATES)[number], Cell>;

const roles = test('access', 'a custom role that may read nothing is told so on every page');
const noProject = test('states', 'a project that is not there is named by each of its pages');

const NO_FILTER = no('nothing is filtered');
const NO_INPUT = no('nothing is typed');
const NO_DIALOG = no('nothing opens over it');
const NO_LIMIT = no('every plan has it, and limits nothing here');
const EVERYONES = no('it is about the person who is signed in');
const ONE_THING = no('it shows one thing, not a list');
const A_LIST = no('it lists, and names no single thing');
const NO_VERSION = no('nothing that somebody else may change meanwhile is written here');

/** What most pages have, and what none of them has. */
const base = {
  loading: held,
  loaded: scene,
  unavailable: held,
  plan: NO_LIMIT,
  noMatch: NO_FILTER,
  refused: NO_INPUT,
  dialog: NO_DIALOG,
  conflict: NO_VERSION,
  forbidden: roles,
} as const;

const beforeSignIn = {
  loading: no('a form that is there at once'),
  loaded: scene,
  empty: no('it shows a form'),
  noMatch: NO_FILTER,
  refused: scene,
  dialog: NO_DIALOG,
  plan: no('nobody is signed in'),
  forbidden: no('nobody is signed in'),
  missing: no('it names nothing'),
  conflict: NO_VERSION,
  unavailable: test('states', 'a form before sign-in that cannot be sent says so'),
} as const;

export const TABLE: Record<string, Row> = {
  '/': {
    ...base,
    loading: no('it leads on without asking'),
    loaded: no('it leads on to the flags of a project'),
    empty: scene,
    dialog: scene,
    forbidden: no('it leads on'),
    missing: scene,
    unavailable: no('it leads on without asking'),
  },
  '/approvals': { ...base, empty: scene, noMatch: scene, missing: A_LIST },
  '/approvals/{id}': {
    ...base,
    empty: ONE_THING,
    refused: scene,
    dialog: scene,
    forbidden: scene,
    missing: scene,
    conflict: scene,
  },
  '/audit': {
    ...base,
    empty: no('the first entry is the making of the organization'),
    noMatch: scene,
    refused: scene,
    forbidden: scene,
    missing: A_LIST,
  },
  '/fleet': {
    ...base,
    empty: scene,
    noMatch: scene,
    refused: test('fleet', 'an operator adds an edge, sees it join, and revokes it'),
    dialog: scene,
    conflict: test('fleet', 'an operator adds an edge, sees it join, and revokes it'),
    forbidden: scene,
    missing: A_LIST,
  },
  '/fleet/{edge}': {
    ...base,
    empty: ONE_THING,
    dialog: test('fleet', 'an operator adds an edge, sees it join, and revokes it'),
    missing: scene,
  },
  '/forgot-password': beforeSignIn,
  '/login': beforeSignIn,
  '/login/handoff': {
    ...beforeSignIn,
    loading: test('states', 'a sign-in link waits, and says so when it cannot be used'),
    loaded: no('it leads on as soon as the person is signed in'),
    unavailable: test('states', 'a sign-in link waits, and says so when it cannot be used'),
  },
  '/migration': {
    ...base,
    empty: scene,
    refused: scene,
    dialog: no('the steps take the place of the list'),
    forbidden: scene,
    missing: A_LIST,
  },
  '/migration/{id}': {
    ...base,
    empty: ONE_THING,
    noMatch: test('migration', 'Unleash and Flagsmith are read in their own ways'),
    dialog: test('migration', 'a running import shows how far it is, and can be stopped'),
    forbidden: scene,
    missing: scene,
  },
  '/onboarding': {
    ...base,
    empty: scene,
    forbidden: scene,
    missing: no('it names nothing'),
    conflict: no('a flag of this key counts as the first step'),
  },
  '/p/{project}/change-sets': { ...base, empty: scene, noMatch: scene, missing: noProject },
  '/p/{project}/change-sets/{id}': {
    ...base,
    empty: ONE_THING,
    refused: scene,
    dialog: scene,
    missing: scene,
    conflict: test(
      'changeSets',
      'what someone else changed is shown at its place, and overwritten only after it was seen',
    ),
  },
  '/p/{project}/compare': {
    ...base,
    empty: scene,
    dialog: scene,
    forbidden: scene,
    missing: scene,
    conflict: scene,
  },
  '/p/{project}/environments': {
    ...base,
    empty: scene,
    refused: scene,
    dialog: scene,
    plan: scene,
    forbidden: scene,
    missing: noProject,
    conflict: scene,
  },
  '/p/{project}/environments/{env}/keys': {
    ...base,
    empty: scene,
    refused: scene,
    dialog: scene,
    forbidden: scene,
    missing: scene,
  },
  '/p/{project}/flags': {
    ...base,
    empty: scene,
    noMatch: scene,
    refused: scene,
    dialog: scene,
    plan: scene,
    forbidden: scene,
    missing: scene,
    conflict: test('flags', 'a switch never overwrites what somebody else saved'),
  },
  '/p/{project}/flags/{key}': {
    ...base,
    empty: scene,
    refused: scene,
    dialog: scene,
    forbidden: scene,
    missing: scene,
    conflict: scene,
  },
  '/p/{project}/insights': {
    ...base,
    empty: scene,
    noMatch: scene,
    refused: scene,
    dialog: scene,
    conflict: scene,
    forbidden: scene,
    missing: noProject,
  },
  '/p/{project}/segments': {
    ...base,
    empty: scene,
    noMatch: scene,
    refused: scene,
    dialog: scene,
    forbidden: scene,
    missing: noProject,
    conflict: scene,
  },
  '/p/{project}/segments/{key}': {
    ...base,
    empty: scene,
    refused: scene,
    dialog: scene,
    forbidden: scene,
    missing: scene,
    conflict: scene,
  },
  '/p/{project}/settings': {
    ...base,
    empty: ONE_THING,
    refused: scene,
    dialog: scene,
    forbidden: scene,
    missing: noProject,
    conflict: scene,
  },
  '/reset-password': beforeSignIn,
  '/settings/account': {
    ...base,
    empty: EVERYONES,
    refused: scene,
    forbidden: EVERYONES,
    missing: EVERYONES,
  },
  '/settings/billing': {
    ...base,
    empty: ONE_THING,
    refused: test('billing', 'a month is paid by the form of the gateway, and a failed payment says so'),
    dialog: test('billing', 'a subscription is canceled now'),
    plan: no('it is where plans are bought'),
    missing: ONE_THING,
  },
  '/settings/organization': {
    ...base,
    empty: ONE_THING,
    refused: scene,
    dialog: scene,
    forbidden: test('organization', 'others read it, and who may change it'),
    missing: ONE_THING,
  },
  '/settings/scim': {
    ...base,
    empty: scene,
    refused: scene,
    dialog: scene,
    plan: scene,
    forbidden: scene,
    missing: A_LIST,
  },
  '/settings/security': {
    ...base,
    empty: scene,
    refused: scene,
    dialog: scene,
    plan: scene,
    forbidden: EVERYONES,
    missing: EVERYONES,
  },
  '/settings/sign-in': {
    ...base,
    empty: scene,
    refused: scene,
    dialog: scene,
    plan: scene,
    forbidden: scene,
    missing: A_LIST,
  },
  '/signup': {
    ...beforeSignIn,
    conflict: test('signup', 'an address with an account is told to sign in'),
  },
  '/team': {
    ...base,
    empty: scene,
    noMatch: scene,
    refused: scene,
    dialog: scene,
    plan: scene,
    forbidden: scene,
    missing: scene,
    conflict: test('roles', 'a change by someone else is shown before it is overwritten'),
  },
  '/team/{member}': { ...base, empty: ONE_THING, dialog: scene, missing: scene },
  '/webhooks': {
    ...base,
    empty: scene,
    refused: scene,
    dialog: scene,
    plan: scene,
    forbidden: scene,
    missing: A_LIST,
  },
  '/webhooks/{id}': {
    ...base,
    empty: scene,
    refused: scene,
    dialog: scene,
    forbidden: scene,
    missing: scene,
    conflict: scene,
  },
};

/** The page as it is when all is well, without anything that has to be pressed first. */
export function loadedScene(page: string): Scene | undefined {
  return SCENES.find(scene => scene.page === page && scene.state === 'loaded' && !scene.act && !scene.isOpen);
}
