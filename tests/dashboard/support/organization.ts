import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Caller } from './api';
import { Mailbox } from './mail';
import { place } from './places';
import { until } from './until';

export type Plan = 'trial' | 'free' | 'pro' | 'enterprise';
export type Role = 'owner' | 'admin' | 'developer' | 'viewer';

export interface Environment {
  id: string;
  slug: string;
  name: string;
}

interface Tokens {
  access_token: string;
  refresh_token: string;
}

export const PASSWORD = 'Correct-Horse-7';

/** Somebody with an account. */
export class Person {
  constructor(
    readonly name: string,
    readonly email: string,
    readonly api: Caller,
    /** Good for one session of a browser. */
    readonly refreshToken: string,
    readonly mails: Mailbox,
  ) {}

  /** Signs in anew. */
  async again(): Promise<Person> {
    const { tokens } = await new Caller().post<{ tokens: Tokens }>('/v1/auth/login', {
      email: this.email,
      password: PASSWORD,
    });
    return person(this.name, this.email, tokens, this.mails);
  }

  /** Proves the password by a mailed code, which ends the sessions so far, and signs in anew. */
  async proven(): Promise<Person> {
    const caller = new Caller();
    await caller.post('/v1/auth/forgot-password', { email: this.email });
    const otp = await this.mails.code();
    await caller.post('/v1/auth/reset-password', { email: this.email, otp, new_password: PASSWORD });
    return this.again();
  }
}

function person(name: string, email: string, tokens: Tokens, mails = new Mailbox(email)): Person {
  return new Person(name, email, new Caller(place.api, tokens.access_token), tokens.refresh_token, mails);
}

/** An address that nobody had before. */
export function newAddress(name: string): string {
  return `${name}-${randomBytes(5).toString('hex')}@example.com`;
}

/** An organization of a test's own, with the project and the environments that each begins with. */
export class Organization {
  private constructor(
    readonly id: string,
    readonly name: string,
    readonly owner: Person,
    readonly project: { id: string; slug: string; name: string },
    readonly environments: readonly Environment[],
  ) {}

  /** In the default data region, unless another is named. */
  static async register(region?: string): Promise<Organization> {
    const email = newAddress('ada');
    const name = `Acme ${email.slice(4, 14)}`;
    const made = await new Caller().post<{ organization: { id: string }; tokens: Tokens }>(
      '/v1/auth/register',
      {
        email,
        password: PASSWORD,
        name: 'Ada Lovelace',
        org_name: name,
        ...(region === undefined ? {} : { data_region: region }),
      },
    );
    const owner = person('Ada Lovelace', email, made.tokens);
    const projects = await owner.api.get<{ data: { id: string; slug: string; name: string }[] }>(
      '/v1/projects',
    );
    const project = first(projects.data);
    const environments = await owner.api.get<{ data: Environment[] }>(
      `/v1/projects/${project.id}/environments`,
    );
    return new Organization(made.organization.id, name, owner, project, environments.data);
  }

  /** The same with an owner whose address is proven, as webhooks want it. */
  async proven(): Promise<Organization> {
    const owner = await this.owner.proven();
    return new Organization(this.id, this.name, owner, this.project, this.environments);
  }

  environment(slug: string): Environment {
    return first(this.environments.filter(environment => environment.slug === slug));
  }

  async setPlan(plan: Plan): Promise<void> {
    await promisify(execFile)(join(place.programs, 'halyard'), ['org', 'set-plan', this.id, plan]);
  }

  /** Vouches for a domain, as an operator does. */
  async proveDomain(domain: string): Promise<void> {
    await promisify(execFile)(join(place.programs, 'halyard'), ['org', 'prove-domain', this.id, domain]);
  }

  /** Invites somebody new, who signs up by the code in the mail. */
  async invite(role: Role): Promise<Person> {
    const email = newAddress(role);
    await this.owner.api.post('/v1/members/invite', { email, role });
    const name = `Max ${role}`;
    const mails = new Mailbox(email);
    const caller = new Caller();
    await caller.post('/v1/auth/initiate-signup', { email, password: PASSWORD, name });
    const { tokens } = await caller.post<{ tokens: Tokens }>('/v1/auth/complete-signup', {
      email,
      otp: await mails.code(),
    });
    return person(name, email, tokens, mails);
  }

  /** Makes a flag, boolean unless said otherwise. */
  async flag(key: string, more: Record<string, unknown> = {}): Promise<void> {
    await this.owner.api.post(`/v1/projects/${this.project.id}/flags`, { key, name: key, ...more });
  }

  /** Changes what a flag is in an environment; every edge serves it afterwards. */
  async set(key: string, slug: string, state: Record<string, unknown>): Promise<void> {
    const path = `/v1/projects/${this.project.id}/flags/${key}/environments/${this.environment(slug).id}`;
    await this.owner.api.put(`${path}?wait=edges`, state);
  }

  /** Requests approval of a change, as the owner or somebody else; its id. */
  async ask(
    key: string,
    slug: string,
    payload: Record<string, unknown>,
    { by = this.owner, note = '' }: { by?: Person; note?: string } = {},
  ): Promise<string> {
    const { id } = await by.api.post<{ id: string }>('/v1/approvals', {
      flag_key: key,
      env_id: this.environment(slug).id,
      change_type: 'update_state',
      payload,
      note,
    });
    return id;
  }

  /** Drafts a change set that switches flags on in an environment; its id. */
  async draft(name: string, keys: readonly string[], slug: string, by = this.owner): Promise<string> {
    const flags = keys.map(key => ({ key, states: { [slug]: { enabled: true } } }));
    const path = `/v1/projects/${this.project.id}/change-sets`;
    const { id } = await by.api.post<{ id: string }>(path, { name, changes: { flags } });
    return id;
  }

  /** Somebody's program, which asks the separate edge. */
  async program(slug: string, type: 'server' | 'client' = 'server'): Promise<Program> {
    const path = `/v1/environments/${this.environment(slug).id}/api-keys?wait=edges`;
    const { key } = await this.owner.api.post<{ key: string }>(path, { name: 'test', type });
    return new Program(key);
  }
}

interface Evaluation {
  value: unknown;
  reason: string;
  variant_key: string;
}

export class Program {
  constructor(readonly key: string) {}

  async ask(flag: string, context: Record<string, unknown> = { key: 'user-1' }): Promise<Evaluation> {
    const answer = await new Caller(place.edge).ask<Evaluation>(
      'POST',
      '/v1/evaluate',
      { flag_key: flag, context },
      { 'x-api-key': this.key },
    );
    if (answer.status !== 200) throw new Error(`the edge: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Says that a user saw a variant. */
  async track(flag: string, variant: string, user = 'user-1'): Promise<void> {
    const body = { flag_key: flag, variant_key: variant, user_key: user };
    const answer = await new Caller(place.edge).ask('POST', '/v1/track', body, { 'x-api-key': this.key });
    if (answer.status !== 204) throw new Error(`the edge: ${answer.status} ${JSON.stringify(answer.body)}`);
  }

  /** Asks for a flag with a default in the code, as the shop. */
  async tells(flag: string, fallback: unknown): Promise<void> {
    const headers = { 'halyard-default': JSON.stringify(fallback), 'halyard-service': 'shop' };
    const { status } = await this.answer(flag, headers);
    if (status !== 200) throw new Error(`the edge: ${status}`);
  }

  /** Waits until the edge answers with this status. */
  async isAnswered(status: number): Promise<void> {
    await until(`an answer of ${status}`, async () =>
      (await this.answer('checkout')).status === status ? true : undefined,
    );
  }

  private answer(flag: string, headers: Record<string, string> = {}) {
    const body = { flag_key: flag, context: { key: 'user-1' } };
    return new Caller(place.edge).ask('POST', '/v1/evaluate', body, { ...headers, 'x-api-key': this.key });
  }

  /** Waits until the edge gives a flag this value. */
  async sees(flag: string, value: unknown, context?: Record<string, unknown>): Promise<void> {
    await until(`${JSON.stringify(value)} for ${flag}`, async () =>
      JSON.stringify((await this.ask(flag, context)).value) === JSON.stringify(value) ? true : undefined,
    );
  }
}

function first<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined) throw new Error('there is none');
  return item;
}

/** A service account with a token; its id. */
export async function serviceAccount({ owner }: Organization): Promise<string> {
  const { id } = await owner.api.post<{ id: string }>('/v1/service-accounts', {
    name: 'Deployments',
    role: 'developer',
  });
  await owner.api.post(`/v1/service-accounts/${id}/tokens`, { name: 'pipeline', read_only: true });
  return id;
}
