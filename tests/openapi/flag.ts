// A flag's life by a client that was generated for TypeScript: what is typed here is what the API document says. `./dev openapi`
// sets the address and runs it.

import assert from 'node:assert/strict';

import createClient from 'openapi-fetch';

import type { components, paths } from './schema.js';

const baseUrl = process.env.HALYARD_URL;
if (!baseUrl) throw new Error('HALYARD_URL is not set: run ./dev openapi');

type Answer<Data> = { data?: Data | undefined; error?: unknown; response: Response };

/** What a call answered, or the refusal. */
async function told<Data>(call: Promise<Answer<Data>>): Promise<NonNullable<Data>> {
  const { data, error, response } = await call;
  if (!data) throw new Error(`${response.url}: ${response.status} ${JSON.stringify(error)}`);
  return data;
}

async function ended(call: Promise<Answer<unknown>>): Promise<void> {
  const { error, response } = await call;
  assert.equal(response.status, 204, `${response.url}: ${JSON.stringify(error)}`);
}

const anybody = createClient<paths>({ baseUrl });
const email = `typescript-${Date.now()}@openapi.test`;
const password = 'Correct-Horse-Battery-7';

const account = await told(
  anybody.POST('/v1/auth/register', { body: { email, password, name: 'Ada', org_name: 'TypeScript' } }),
);
const signedIn = await told(anybody.POST('/v1/auth/login', { body: { email, password } }));
assert.equal(signedIn.user.id, account.user.id);

const headers = { Authorization: `Bearer ${signedIn.tokens.access_token}` };
const owner = createClient<paths>({ baseUrl, headers });

const project = await told(owner.POST('/v1/projects', { body: { name: 'Shop' } }));
const inProject = { projectID: project.id };
const environment = await told(
  owner.POST('/v1/projects/{projectID}/environments', { params: { path: inProject }, body: { name: 'Production' } }),
);
const flag = await told(
  owner.POST('/v1/projects/{projectID}/flags', {
    params: { path: inProject },
    body: { key: 'new-checkout', name: 'New checkout', flag_type: 'boolean' },
  }),
);
const flags = await told(
  owner.GET('/v1/projects/{projectID}/flags', { params: { path: inProject, query: { limit: 10 } } }),
);
assert.deepEqual(
  flags.data.map((one) => one.key),
  [flag.key],
);

const key = await told(
  owner.POST('/v1/environments/{envID}/api-keys', {
    params: { path: { envID: environment.id } },
    body: { name: 'backend', type: 'server' },
  }),
);

const rule: components['schemas']['TargetingRuleInput'] = {
  id: 'netherlands',
  conditions: [{ attribute: 'country', operator: 'eq', values: ['NL'] }],
  value: true,
};
const inEnvironment = { ...inProject, flagKey: flag.key, envID: environment.id };
const written = await owner.PUT('/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}', {
  params: { path: inEnvironment, query: { wait: 'edges' } },
  body: { enabled: true, rules: [rule] },
});
assert.equal(written.data?.enabled, true, JSON.stringify(written.error));
assert.equal(written.data.rules[0]?.match_type, 'all');
assert.ok(Number(written.response.headers.get('X-Snapshot-Version')) > 0);
assert.ok(written.response.headers.has('X-Edges-Acknowledged'));

const application = createClient<paths>({ baseUrl, headers: { 'X-API-Key': key.key } });
const context = { key: 'user-1', attributes: { country: 'NL' } };
const evaluated = await told(application.POST('/v1/evaluate', { body: { flag_key: flag.key, context } }));
assert.deepEqual([evaluated.value, evaluated.reason], [true, 'TARGETED']);
const many = await told(
  application.POST('/v1/evaluate/bulk', { body: { flag_keys: [flag.key, 'nowhere'], context } }),
);
assert.equal(many['nowhere']?.reason, 'NOT_FOUND');
const values = await told(
  application.GET('/v1/client/{envKey}/flags', {
    params: { path: { envKey: environment.slug }, query: { key: 'user-1' } },
  }),
);
assert.deepEqual(values, { [flag.key]: false });

const explained = await told(
  owner.POST('/v1/explain', {
    body: { project_id: project.id, env_id: environment.id, flag_key: flag.key, context },
  }),
);
assert.deepEqual([explained.result.value, explained.rule_id], [true, rule.id]);

await ended(
  owner.DELETE('/v1/projects/{projectID}/flags/{flagKey}', { params: { path: { ...inProject, flagKey: flag.key } } }),
);
const gone = await owner.GET('/v1/projects/{projectID}/flags/{flagKey}', {
  params: { path: { ...inProject, flagKey: flag.key } },
});
assert.equal(gone.response.status, 404);
assert.equal(gone.error?.error, 'flag not found');
await ended(owner.DELETE('/v1/projects/{projectID}', { params: { path: inProject } }));
console.log('TypeScript: a flag was made, changed, evaluated, explained and deleted');
