import type { BrowserContext, Locator, Page } from '@playwright/test';
import { Organization, type Person } from './organization';
import { enter } from './session';
import type { Showcase } from './showcase';
import { expect } from './test';

/** A page in a state. */
export interface Scene {
  name: string;
  path: (of: Showcase) => string;
  /** What has to be there before anything is looked at. */
  ready: (page: Page) => Locator;
  /** Nobody is signed in; else the owner of the showcase is, unless somebody else is named. */
  isOpen?: true;
  as?: (of: Showcase) => Person | Promise<Person>;
  /** Leads to the state that is meant. */
  act?: (page: Page) => Promise<void>;
  statuses?: number[];
}

const project = ({ organization }: Showcase) => `/p/${organization.project.slug}`;
const heading = (name: string | RegExp) => (page: Page) => page.getByRole('heading', { name }).first();
const dialog = (page: Page) => page.getByRole('dialog');
const click = (name: string | RegExp) => async (page: Page) => {
  await page.getByRole('button', { name }).first().click();
};
/** Of an organization in which nothing was made yet. */
const newcomer = async () => (await Organization.register()).owner;

export const SCENES: Scene[] = [
  { name: 'sign-in', path: () => '/login', ready: heading('Sign in'), isOpen: true },
  {
    name: 'sign-in, refused',
    path: () => '/login',
    ready: page => page.getByRole('alert'),
    isOpen: true,
    statuses: [401],
    act: async page => {
      await page.getByRole('textbox', { name: 'E-mail' }).fill('nobody@example.com');
      await page.getByRole('textbox', { name: 'Password' }).fill('Wrong-Horse-7');
      await page.getByRole('button', { name: 'Sign in' }).click();
    },
  },
  { name: 'sign-in, verified', path: () => '/login?verified=true', ready: heading('Sign in'), isOpen: true },
  { name: 'sign-up', path: () => '/signup', ready: heading('Create an account'), isOpen: true },
  {
    name: 'sign-up, code',
    path: () => '/signup?email=ada@example.com&step=code',
    ready: heading('Check your mail'),
    isOpen: true,
  },
  {
    name: 'invitation',
    path: () => '/signup?email=ada@example.com&invited=1',
    ready: heading('Accept the invitation'),
    isOpen: true,
  },
  {
    name: 'forgotten password',
    path: () => '/forgot-password',
    ready: heading('Reset your password'),
    isOpen: true,
  },
  {
    name: 'new password, refused',
    path: () => '/reset-password?email=ada@example.com',
    ready: page => page.getByText(/^New_password|code/i).first(),
    isOpen: true,
    statuses: [400],
    act: async page => {
      await page.getByRole('textbox', { name: 'Six-digit code' }).fill('000000');
      await page.getByRole('textbox', { name: 'New password' }).fill('short');
      await page.getByRole('button', { name: 'Set the password' }).click();
    },
  },
  {
    name: 'hand-off, refused',
    path: () => '/login/handoff#0000',
    ready: heading('The link does not work'),
    isOpen: true,
    statuses: [401, 400],
  },
  { name: 'flags', path: of => `${project(of)}/flags`, ready: page => page.getByRole('switch').first() },
  {
    name: 'flags, a viewer',
    path: of => `${project(of)}/flags`,
    ready: page => page.getByRole('rowheader').first(),
    as: of => of.viewer,
  },
  { name: 'flags, none', path: () => '/', ready: heading('No flags yet'), as: newcomer },
  {
    name: 'flags, none match',
    path: of => `${project(of)}/flags?q=nothing`,
    ready: heading('No flag matches'),
  },
  {
    name: 'flags, a new one',
    path: of => `${project(of)}/flags`,
    ready: dialog,
    act: click('Create a flag'),
  },
  {
    name: 'flags, archived',
    path: of => `${project(of)}/flags?archived=true`,
    ready: heading('Archived flags'),
  },
  {
    name: 'project, not there',
    path: () => '/p/nowhere/flags',
    ready: heading(/No such project|There is no project/),
  },
  {
    name: 'flag, targeting',
    path: of => `${project(of)}/flags/checkout?env=production`,
    ready: heading('Rules'),
  },
  {
    name: 'flag, an open rule',
    path: of => `${project(of)}/flags/checkout?env=production`,
    ready: page => page.getByRole('button', { name: 'Add a condition' }),
    act: click('Edit Testers'),
  },
  {
    name: 'flag, variants',
    path: of => `${project(of)}/flags/button-colour?env=production`,
    ready: page => page.getByRole('heading', { name: 'Variants' }),
  },
  {
    name: 'flag, no rules yet',
    path: of => `${project(of)}/flags/express?env=dev`,
    ready: page => page.getByRole('button', { name: 'Add a rule' }),
  },
  {
    name: 'flag, the difference before saving',
    path: of => `${project(of)}/flags/checkout?env=production`,
    ready: dialog,
    act: async page => {
      await page.getByRole('switch', { name: 'On in Production' }).click();
      await page.getByRole('button', { name: 'Review and save' }).click();
    },
  },
  {
    name: 'flag, a viewer',
    path: of => `${project(of)}/flags/checkout?env=production`,
    ready: heading('Rules'),
    as: of => of.viewer,
  },
  {
    name: 'flag, explained',
    path: of => `${project(of)}/flags/checkout?env=production&tab=explain`,
    ready: page => page.getByRole('region', { name: 'Answers' }),
  },
  {
    name: 'flag, history',
    path: of => `${project(of)}/flags/checkout?env=production&tab=history`,
    ready: page => page.getByRole('list', { name: 'Versions, the newest first' }),
  },
  {
    name: 'flag, settings',
    path: of => `${project(of)}/flags/checkout?env=production&tab=settings`,
    ready: page => page.getByRole('tabpanel').getByRole('button').first(),
  },
  {
    name: 'flag, two versions',
    path: of => `${project(of)}/flags/checkout?env=production&tab=history`,
    ready: page => page.getByRole('button', { name: /^Compare with|Close/ }).first(),
    act: click(/Compare or restore/),
  },
  {
    name: 'flag, a kill',
    path: of => `${project(of)}/flags/checkout?env=production`,
    ready: dialog,
    act: click('Kill in Production'),
  },
  {
    name: 'flag, not there',
    path: of => `${project(of)}/flags/nowhere`,
    ready: heading(/nowhere/),
    statuses: [404],
  },
  { name: 'segments', path: of => `${project(of)}/segments`, ready: page => page.getByRole('table') },
  {
    name: 'segments, none',
    path: () => '/p/default/segments',
    ready: heading('No segments yet'),
    as: newcomer,
  },
  {
    name: 'segments, a new one',
    path: of => `${project(of)}/segments`,
    ready: dialog,
    act: click('Create a segment'),
  },
  { name: 'segment', path: of => `${project(of)}/segments/beta-testers`, ready: heading('Used by') },
  {
    name: 'segment, not there',
    path: of => `${project(of)}/segments/nowhere`,
    ready: heading(/nowhere/),
    statuses: [404],
  },
  { name: 'environments', path: of => `${project(of)}/environments`, ready: page => page.getByRole('table') },
  {
    name: 'environments, a new one',
    path: of => `${project(of)}/environments`,
    ready: dialog,
    act: click('Create an environment'),
  },
  {
    name: 'API keys',
    path: of => `${project(of)}/environments/production/keys`,
    ready: page => page.getByRole('table', { name: 'API keys in use' }),
  },
  {
    name: 'API keys, none',
    path: of => `${project(of)}/environments/staging/keys`,
    ready: heading('No API keys in use'),
  },
  {
    name: 'API keys, a viewer',
    path: of => `${project(of)}/environments/production/keys`,
    ready: page => page.getByRole('heading', { level: 1 }),
    as: of => of.viewer,
    statuses: [403],
  },
  {
    name: 'API keys, a new one',
    path: of => `${project(of)}/environments/staging/keys`,
    ready: dialog,
    act: click('Create an API key'),
  },
  { name: 'project settings', path: of => `${project(of)}/settings`, ready: heading('Project settings') },
  {
    name: 'project, deleted',
    path: of => `${project(of)}/settings`,
    ready: dialog,
    act: click('Delete the project'),
  },
  {
    name: 'first run',
    path: () => '/onboarding',
    ready: heading('First run'),
    as: newcomer,
    statuses: [404],
  },
  {
    name: 'approvals, none',
    path: () => '/approvals',
    ready: heading('Nothing waits for a review'),
    as: newcomer,
  },
  {
    name: 'approvals, a request',
    path: () => '/approvals',
    ready: dialog,
    as: async () => {
      const organization = await Organization.register();
      await organization.flag('checkout');
      await organization.ask('checkout', 'production', { enabled: true });
      return organization.owner;
    },
    act: click(/^Show the request/),
  },
  { name: 'billing', path: () => '/settings/billing', ready: heading('Usage') },
  {
    name: 'billing, after a failed payment',
    path: () => '/settings/billing?status=failed',
    ready: page => page.getByText('The payment did not go through.'),
    as: newcomer,
  },
  { name: 'account', path: () => '/settings/account', ready: heading('Account') },
  {
    name: 'security',
    path: () => '/settings/security',
    ready: page => page.getByRole('table', { name: 'Sessions' }),
  },
  {
    name: 'security, enrolment',
    path: () => '/settings/security',
    ready: page => page.getByRole('img', { name: 'QR code for the authenticator app' }),
    as: async () => (await newcomer()).proven(),
    act: click('Set up a second factor'),
  },
  {
    name: 'security, the plan has none',
    path: () => '/settings/security',
    ready: page => page.getByText(/Pro plan/).first(),
    as: async () => {
      const organization = await Organization.register();
      await organization.setPlan('free');
      return organization.owner;
    },
  },
  {
    name: 'security, the end of a session',
    path: () => '/settings/security',
    ready: dialog,
    act: click(/^End the session of/),
  },
  {
    name: 'palette',
    path: of => `${project(of)}/flags`,
    ready: dialog,
    act: async page => {
      await page.getByRole('switch').first().waitFor();
      await page.keyboard.press('Control+K');
      await page.getByRole('dialog').getByRole('menuitem').first().waitFor();
    },
  },
  {
    name: 'keyboard shortcuts',
    path: of => `${project(of)}/flags`,
    ready: dialog,
    act: click('Keyboard shortcuts'),
  },
  {
    name: 'a message',
    path: of => `${project(of)}/flags?q=button`,
    ready: page => page.getByText(/is on in Staging|is off in Staging/),
    act: async page => page.getByRole('switch', { name: /in Staging\b/ }).click(),
  },
];

/** Leads to a scene, and waits until it is there. */
export async function show(
  scene: Scene,
  { page, context, showcase }: { page: Page; context: BrowserContext; showcase: Showcase },
): Promise<void> {
  if (!scene.isOpen) await enter(context, (await scene.as?.(showcase)) ?? showcase.organization.owner);
  await page.goto(scene.path(showcase));
  await scene.act?.(page);
  await expect(scene.ready(page)).toBeVisible();
}
