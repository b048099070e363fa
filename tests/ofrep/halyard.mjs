// The service under test as its owner sees it: flags that cover every reason, and keys. `./dev ofrep` sets the addresses.

const env = (name) => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run ./dev ofrep`);
  return value;
};

export const key = env('HALYARD_API_KEY');
const control = env('HALYARD_URL');
const project = env('HALYARD_PROJECT_ID');
const environment = env('HALYARD_ENV_ID');

/** The servers whose flags and keys are changed here: the separate edge, and the control plane by its built-in one. */
export const managed = { 'separate edge': env('HALYARD_EDGE_URL'), 'control plane': control };
/** Every server that speaks the protocol: an edge that serves the same flags from a file, too. */
export const servers = { ...managed, 'edge from a file': env('HALYARD_FILES_URL') };

async function call(method, path, body, token) {
  const answer = await fetch(`${control}${path}`, {
    method,
    headers: {
      ...(body && { 'Content-Type': 'application/json' }),
      ...(token && { Authorization: `Bearer ${token}` }),
    },
    body: body && JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok && answer.status !== 409) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text ? JSON.parse(text) : undefined;
}

async function signIn() {
  const login = { email: env('HALYARD_OWNER_EMAIL'), password: env('HALYARD_OWNER_PASSWORD') };
  return (await call('POST', '/v1/auth/login', login)).tokens.access_token;
}

const token = await signIn();
const flags = `/v1/projects/${project}/flags`;

/** Sets the state of a flag. When it returns, the edges serve it. */
export const set = (flag, state) => call('PUT', `${flags}/${flag}/environments/${environment}`, state, token);

/** Makes a key of its own, for tests that end it. */
export const makeKey = () => call('POST', `/v1/environments/${environment}/api-keys`, { name: 'ofrep' }, token);
export const revokeKey = (id) => call('DELETE', `/v1/api-keys/${id}`, undefined, token);

async function flag(flag, state) {
  await call('POST', flags, { name: flag.key, ...flag }, token);
  await set(flag.key, state);
}

const inCountry = (country) => ({
  conditions: [{ attribute: 'country', operator: 'eq', values: [country] }],
});

/** The flags that the drivers ask for, those for Python included. */
export async function makeFlags() {
  await flag({ key: 'of-bool', flag_type: 'boolean' }, { enabled: true, rules: [inCountry('NL')] });
  await flag({ key: 'of-off', flag_type: 'boolean' }, { enabled: false });
  await flag({ key: 'of-text', flag_type: 'string', default_value: 'off' }, { enabled: true, default_value: 'hello' });
  await flag({ key: 'of-int', flag_type: 'number', default_value: 0 }, { enabled: true, default_value: 42 });
  await flag({ key: 'of-float', flag_type: 'number', default_value: 0 }, { enabled: true, default_value: 2.5 });
  await flag(
    { key: 'of-object', flag_type: 'json', default_value: {} },
    { enabled: true, default_value: { size: 3, tags: ['a', 'b'] } },
  );
  await flag(
    { key: 'of-variant', flag_type: 'ab', default_value: 'none' },
    { enabled: true, variants: [{ key: 'treatment', value: 'new', weight: 10000 }] },
  );
  await flag({ key: 'of-gated', flag_type: 'boolean', prerequisites: ['of-off'] }, { enabled: true });
  await flag({ key: 'new-checkout', flag_type: 'boolean' }, { enabled: true });
  await flag({ key: 'of-live', flag_type: 'string', default_value: 'off' }, { enabled: true, default_value: 'v0' });
}

/** Waits until `probe` gives something. */
export async function eventually(what, probe, patience = 15_000) {
  const deadline = Date.now() + patience;
  for (;;) {
    const found = await probe();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
