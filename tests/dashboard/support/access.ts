/** Somebody of each role, and what the API document admits them to. */
import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { type Person, type Role, serviceAccount } from './organization';
import { furnish, type Showcase } from './showcase';

export const ROLES = ['owner', 'admin', 'developer', 'viewer'] as const;

/** A showcase with somebody of each role. */
export interface Staffed {
  of: Showcase;
  people: Record<Role, Person>;
  /** The id of a request for approval by the developer. */
  request: string;
  /** The id of a draft of a change set. */
  changeSet: string;
  /** The id of the developer's membership. */
  member: string;
  /** The id of a service account with a token. */
  account: string;
}

export async function staff(): Promise<Staffed> {
  const of = await furnish();
  const { organization, viewer } = of;
  await organization.setPlan('enterprise');
  const admin = await organization.invite('admin');
  const developer = await organization.invite('developer');
  const request = await organization.ask('checkout', 'dev', { enabled: true }, { by: developer });
  const { data } = await organization.owner.api.get<{ data: { id: string; email: string }[] }>('/v1/members');
  const member = data.find(({ email }) => email === developer.email)?.id ?? '';
  const account = await serviceAccount(organization);
  const sampling = `/v1/projects/${organization.project.id}/environments/dev/sampling`;
  await organization.owner.api.put(sampling, { enabled: true });
  const changeSet = await organization.draft('Launch', ['checkout'], 'dev');
  const people = { owner: organization.owner, admin, developer, viewer };
  return { of, people, request, changeSet, member, account };
}

/** `get /v1/flags`. */
export type Operation = `${'get' | 'post' | 'put' | 'patch' | 'delete'} /v1/${string}`;
interface Access {
  roles: Role[];
  permissions: string[];
}

const document = JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, { 'x-access'?: Access }>>;
};

export function accessOf(operation: Operation): Access {
  const [method = '', path = ''] = operation.split(' ');
  const access = document.paths[path]?.[method]?.['x-access'];
  if (access === undefined) throw new Error(`the API document has no access of ${operation}`);
  return access;
}

export const admits = (operation: Operation, role: Role) => accessOf(operation).roles.includes(role);

export type Find = (page: Page) => Locator;

export interface AccessRow {
  /** As `paths.json` has it. */
  page: string;
  path: (staffed: Staffed) => string;
  /** What the page reads before it shows anything; nothing where it is for everyone. */
  reads: Operation | null;
  /** It is there once the page has all that its controls depend on. */
  ready: Find;
  /** Opens the dialog that has the controls. */
  act?: (page: Page) => Promise<void>;
  /** In place of the page, for those whom the operation does not admit. */
  instead?: Find;
  /** Its name in the navigation. */
  link?: string;
  controls?: [Operation, Find][];
}
