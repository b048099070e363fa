import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const CLIENT = 'halyard';

interface Asked {
  nonce: string;
  challenge: string;
}

/** A provider of OpenID Connect on loopback that signs everybody in as one person, or refuses to. */
export class Provider {
  /** Who is signed in; `null` refuses. */
  person: { sub: string; email: string; name: string } | null = null;
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  private readonly codes = new Map<string, Asked>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Provider> {
    const server = createServer();
    const provider = new Provider(server);
    server.on('request', async (request, response) => {
      const url = new URL(request.url ?? '/', provider.issuer);
      if (url.pathname === '/authorize') {
        response.writeHead(302, { location: provider.authorize(url.searchParams) }).end();
        return;
      }
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(provider.answer(url.pathname, await formOf(request))));
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** What an owner enters. */
  get settings() {
    return { name: 'Acme login', issuer: this.issuer, client_id: CLIENT, provisions_members: true };
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private authorize(asked: URLSearchParams): string {
    const back = new URL(asked.get('redirect_uri') ?? '');
    back.searchParams.set('state', asked.get('state') ?? '');
    back.searchParams.set('iss', this.issuer);
    if (this.person === null) {
      back.searchParams.set('error', 'access_denied');
      return back.href;
    }
    const code = randomBytes(16).toString('hex');
    this.codes.set(code, {
      nonce: asked.get('nonce') ?? '',
      challenge: asked.get('code_challenge') ?? '',
    });
    back.searchParams.set('code', code);
    return back.href;
  }

  private answer(path: string, form: URLSearchParams): unknown {
    switch (path) {
      case '/.well-known/openid-configuration':
        return {
          issuer: this.issuer,
          authorization_endpoint: `${this.issuer}/authorize`,
          token_endpoint: `${this.issuer}/token`,
          jwks_uri: `${this.issuer}/keys`,
          authorization_response_iss_parameter_supported: true,
        };
      case '/keys':
        return { keys: [{ ...this.keys.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig' }] };
      default:
        return { token_type: 'Bearer', access_token: 'none', id_token: this.idToken(form) };
    }
  }

  private idToken(form: URLSearchParams): string {
    const asked = this.codes.get(form.get('code') ?? '');
    const verifier = form.get('code_verifier') ?? '';
    if (asked?.challenge !== createHash('sha256').update(verifier).digest('base64url')) return 'wrong';
    const now = Math.floor(Date.now() / 1000);
    const parts = [
      { alg: 'ES256', kid: 'one' },
      {
        iss: this.issuer,
        aud: CLIENT,
        iat: now,
        exp: now + 300,
        nonce: asked.nonce,
        email_verified: true,
        ...this.person,
      },
    ];
    const text = parts.map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    const signature = sign('sha256', Buffer.from(text), {
      key: this.keys.privateKey,
      dsaEncoding: 'ieee-p1363',
    });
    return `${text}.${signature.toString('base64url')}`;
  }
}

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return new URLSearchParams(body);
}
