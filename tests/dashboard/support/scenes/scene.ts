import type { BrowserContext, Locator, Page } from '@playwright/test';
import { Organization, type Person } from '../organization';
import { enter } from '../session';
import type { Showcase } from '../showcase';
import { expect } from '../test';
import { PHONE, VIEWPORTS } from '../viewports';

/** What a page may have to show in place of, or beside, its content. */
export type State =
  | 'loaded'
  | 'empty'
  | 'noMatch'
  | 'dialog'
  | 'refused'
  | 'plan'
  | 'forbidden'
  | 'missing'
  | 'conflict';

/** A page in a state. */
export interface Scene {
  name: string;
  /** The address, as `paths.json` has it. */
  page: string;
  state: State;
  path: (of: Showcase) => string | Promise<string>;
  /** What has to be there before anything is looked at. */
  ready: (page: Page) => Locator;
  /** Nobody is signed in; else the owner of the showcase is, unless somebody else is named. */
  isOpen?: true;
  as?: (of: Showcase) => Person | Promise<Person>;
  /** Leads to the state that is meant. */
  act?: (page: Page, person: Person) => Promise<void>;
  /** It exists on phones only. */
  isNarrow?: true;
  statuses?: number[];
}

export const project = ({ organization }: Showcase) => `/p/${organization.project.slug}`;
export const heading = (name: string | RegExp) => (page: Page) => page.getByRole('heading', { name }).first();
export const dialog = (page: Page) => page.getByRole('dialog');
export const click = (name: string | RegExp) => async (page: Page) => {
  await page.getByRole('button', { name }).first().click();
};
/** Fills in more than a field lets people type, so that the service refuses it. */
export async function overfill(field: Locator): Promise<void> {
  await field.evaluate(input => input.removeAttribute('maxlength'));
  await field.fill('x'.repeat(256));
}
/** Of an organization in which nothing was made yet. */
export const newcomer = async () => (await Organization.register()).owner;
/** Of an organization without a project. */
export async function projectless(): Promise<Person> {
  const { owner, project } = await Organization.register();
  await owner.api.delete(`/v1/projects/${project.id}`);
  return owner;
}
/** Of an organization on the free plan, which has as much as that allows. */
export async function freeloader(): Promise<Person> {
  const organization = await Organization.register();
  await organization.setPlan('free');
  return organization.owner;
}
/** The address of the project in which a newcomer begins. */
export const DEFAULT_PROJECT = '/p/default';

export const viewportsOf = ({ isNarrow }: Scene) => (isNarrow ? [PHONE] : VIEWPORTS);

/** Leads to a scene, and waits until it is there. */
export async function show(
  scene: Scene,
  { page, context, showcase }: { page: Page; context: BrowserContext; showcase: Showcase },
): Promise<void> {
  const person = (await scene.as?.(showcase)) ?? showcase.organization.owner;
  if (!scene.isOpen) await enter(context, person);
  if (scene.isNarrow) await page.setViewportSize(PHONE);
  await page.goto(await scene.path(showcase));
  await scene.act?.(page, person);
  await expect(scene.ready(page)).toBeVisible();
}
