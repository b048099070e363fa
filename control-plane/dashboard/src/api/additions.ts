/**
 * Endpoints that `docs/openapi.json` does not describe yet, in the words of their design. Each goes from here when the
 * document has it: `paths` of `client.ts` prefers what is here.
 */
import type { components } from './schema';

type Refusals = {
  400: Answer<components['schemas']['ErrorBody']>;
  401: Answer<components['schemas']['ErrorBody']>;
  403: Answer<components['schemas']['ErrorBody']>;
  404: Answer<components['schemas']['ErrorBody']>;
  429: Answer<components['schemas']['ErrorBody']>;
};

type Answer<Body> = { headers: Record<string, unknown>; content: { 'application/json': Body } };
type Empty = { headers: Record<string, unknown>; content?: never };

type Operation<Success, Body = never, Path = never, Query = never> = {
  parameters: {
    query?: [Query] extends [never] ? never : Query;
    header?: never;
    cookie?: never;
  } & ([Path] extends [never] ? { path?: never } : { path: Path });
  requestBody?: [Body] extends [never] ? never : { content: { 'application/json': Body } };
  responses: Success & Refusals;
};

/** What the page holds of a session: the refresh token is in a cookie that scripts cannot read. */
export interface Access {
  access_token: string;
  /** Unix seconds. */
  expires_at: number;
}

export interface SessionItem {
  id: string;
  created_at: string;
  last_used_at: string;
  ip_address: string | null;
  browser: string | null;
  current: boolean;
}

export type StateFilter = 'on' | 'off' | 'partial' | 'scheduled';
export type OverviewSort = 'key' | 'name' | 'created_at' | 'updated_at' | 'last_evaluated_at';

export interface OverviewState {
  enabled: boolean;
  rules: number;
  percentage_rollout: number | null;
  variants: number;
  scheduled_enable_at: string | null;
  scheduled_disable_at: string | null;
  pending_approvals: number;
  version: number;
  updated_at: string;
  updated_by?: { id: string; name: string } | null;
}

export interface OverviewFlag {
  id: string;
  key: string;
  name: string;
  flag_type: components['schemas']['FlagType'];
  tags: string[];
  permanent: boolean;
  stale: boolean;
  created_at: string;
  updated_at: string;
  last_evaluated_at: string | null;
  states: Record<string, OverviewState>;
}

export interface OverviewEnvironment {
  id: string;
  name: string;
  slug: string;
  color: string;
  protected: boolean;
  version: number;
}

export interface Overview {
  data: OverviewFlag[];
  environments: OverviewEnvironment[];
  tags: { tag: string; count: number }[];
  total: number;
  limit: number;
  offset: number;
  has_more: boolean;
}

export interface OverviewQuery {
  q?: string;
  tag?: string;
  type?: string;
  env_id?: string;
  state?: StateFilter;
  stale?: boolean;
  sort?: OverviewSort;
  order?: 'asc' | 'desc';
  limit?: number;
  offset?: number;
}

export interface AddedPaths {
  '/v1/auth/session': {
    post: Operation<{ 200: Answer<Access> }, { refresh_token: string }>;
    delete: Operation<{ 204: Empty }>;
  };
  '/v1/auth/session/refresh': {
    post: Operation<{ 200: Answer<Access> }, { org_id: string }>;
  };
  '/v1/auth/sessions': {
    get: Operation<{ 200: Answer<{ data: SessionItem[]; total: number }> }>;
  };
  '/v1/auth/sessions/{id}': {
    delete: Operation<{ 204: Empty }, never, { id: string }>;
  };
  '/v1/projects/{projectID}/overview': {
    get: Operation<{ 200: Answer<Overview> }, never, { projectID: string }, OverviewQuery>;
  };
}
