// A certified OpenID Connect provider on loopback, in which everybody who comes is signed in as HALYARD_SUBJECT at once. It prints its
// issuer when it listens. Each start has other keys.

import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const { HALYARD_OIDC, HALYARD_REDIRECT, HALYARD_CLIENT, HALYARD_SECRET, HALYARD_ALG, HALYARD_PORT, HALYARD_SUBJECT } = process.env;

// Packages are in a folder of their own.
const { Provider } = await import(pathToFileURL(createRequire(`${HALYARD_OIDC}/package.json`).resolve('oidc-provider')));

const server = createServer();
await new Promise((listening) => server.listen(Number(HALYARD_PORT ?? 0), '127.0.0.1', listening));
const issuer = `http://127.0.0.1:${server.address().port}`;

const pairs = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
};
const key = pairs[HALYARD_ALG]().privateKey.export({ format: 'jwk' });

const provider = new Provider(issuer, {
  jwks: { keys: [{ ...key, use: 'sig', alg: HALYARD_ALG }] },
  enabledJWA: { idTokenSigningAlgValues: [HALYARD_ALG] },
  clients: [
    {
      client_id: HALYARD_CLIENT,
      client_secret: HALYARD_SECRET,
      redirect_uris: [HALYARD_REDIRECT],
      id_token_signed_response_alg: HALYARD_ALG,
    },
  ],
  cookies: { keys: ['of the tests'] },
  pkce: { required: () => true },
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({ sub: id, email: `${id}@acme.test`, email_verified: true, name: 'Ada Lovelace', groups: ['leads'] }),
  }),
  // Nobody is asked for consent.
  async loadExistingGrant(ctx) {
    const { client, session } = ctx.oidc;
    const grant = new ctx.oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId });
    grant.addOIDCScope('openid email profile');
    await grant.save();
    return grant;
  },
});

const answer = provider.callback();
server.on('request', (request, response) => {
  if (request.url.startsWith('/interaction/')) {
    provider.interactionFinished(request, response, { login: { accountId: HALYARD_SUBJECT } });
  } else {
    answer(request, response);
  }
});
console.log(issuer);
