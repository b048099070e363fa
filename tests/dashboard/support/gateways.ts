import { createHash, createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const KEY = 'C0Dr8m';
const SALT = '3sf0jURk';
const SECRET = 'whsec_halyard';
const PRICE = 'price_pro';
const MONTH_S = 30 * 86_400;

/** Both payment gateways on loopback: the pages on which a payer pays, and what Halyard asks of them. */
export class Gateways {
  /** Calls to the API of the one that redirects. */
  readonly calls: string[] = [];
  private readonly id = randomBytes(6).toString('hex');
  private session: Record<string, string> = {};
  private cancelAtEnd = false;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Gateways> {
    const server = createServer();
    const gateways = new Gateways(server);
    server.on('request', async (request, response) => {
      const path = new URL(request.url ?? '/', 'http://gateway').pathname;
      const fields = await formOf(request);
      const isPage = path === '/_payment' || path.startsWith('/c/');
      response.writeHead(200, { 'content-type': isPage ? 'text/html' : 'application/json' });
      response.end(
        isPage ? gateways.page(path, fields) : JSON.stringify(gateways.answer(request, path, fields)),
      );
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return gateways;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The settings with which a control plane uses both. */
  get settings(): Record<string, string> {
    return {
      GATEWAY_FORM_URL: `${this.url}/_payment`,
      GATEWAY_FORM_KEY: KEY,
      GATEWAY_FORM_SALT: SALT,
      GATEWAY_REDIRECT_API_URL: this.url,
      GATEWAY_REDIRECT_SECRET_KEY: 'sk_test_halyard',
      GATEWAY_REDIRECT_WEBHOOK_SECRET: SECRET,
      GATEWAY_REDIRECT_PRICE_ID: PRICE,
    };
  }

  get subscriptionId(): string {
    return `sub_${this.id}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }

  private answer(request: IncomingMessage, path: string, fields: Record<string, string>): unknown {
    this.calls.push(`${request.method} ${path}`);
    if (path === '/v1/checkout/sessions') {
      this.session = fields;
      return { id: `cs_${this.id}`, url: `${this.url}/c/pay` };
    }
    if (path === '/v1/billing_portal/sessions') return { url: `${this.url}/c/portal` };
    if (fields.cancel_at_period_end === 'true') this.cancelAtEnd = true;
    return this.subscription(request.method === 'DELETE' ? 'canceled' : 'active');
  }

  private subscription(status: string): Record<string, unknown> {
    const start = Math.floor(Date.now() / 1000);
    return {
      id: this.subscriptionId,
      object: 'subscription',
      customer: `cus_${this.id}`,
      status,
      cancel_at_period_end: this.cancelAtEnd,
      current_period_start: start,
      current_period_end: start + MONTH_S,
      metadata: { org_id: this.session.client_reference_id },
      items: { data: [{ price: { id: PRICE } }] },
    };
  }

  /** The event of a paid checkout, as it is sent to the service at `base`. */
  async pay(base: string): Promise<void> {
    const body = JSON.stringify({
      id: `evt_${this.id}`,
      type: 'checkout.session.completed',
      created: Math.floor(Date.now() / 1000),
      data: {
        object: {
          id: `cs_${this.id}`,
          object: 'checkout.session',
          status: 'complete',
          payment_status: 'paid',
          customer: `cus_${this.id}`,
          client_reference_id: this.session.client_reference_id,
          metadata: { org_id: this.session.client_reference_id },
          subscription: this.subscriptionId,
        },
      },
    });
    const now = Math.floor(Date.now() / 1000);
    const v1 = createHmac('sha256', SECRET).update(`${now}.${body}`).digest('hex');
    const answer = await fetch(`${base}/v1/billing/gateway_redirect/webhook`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'gateway-redirect-signature': `t=${now},v1=${v1}` },
      body,
    });
    if (!answer.ok) throw new Error(`the event is refused: ${answer.status} ${await answer.text()}`);
  }

  private page(path: string, fields: Record<string, string>): string {
    if (path === '/c/portal') return document('Portal', '');
    if (path === '/c/pay') {
      const link = (to: string | undefined, text: string) => `<a href="${to ?? ''}">${text}</a>`;
      return document(
        'Pay',
        link(this.session.success_url, 'I have paid') + link(this.session.cancel_url, 'Back'),
      );
    }
    const known = ['key', 'txnid', 'amount', 'productinfo', 'firstname', 'email'];
    const returned = (status: string, action: string | undefined) => {
      const unused = Array.from({ length: 10 }, () => '');
      const values = [SALT, status, ...unused, ...known.toReversed().map(name => fields[name] ?? '')];
      const hash = createHash('sha512').update(values.join('|')).digest('hex');
      const own: Record<string, string> = { ...fields, status, hash, mihpayid: '403993715', mode: 'CC' };
      const inputs = Object.entries(own).map(
        ([name, value]) => `<input type="hidden" name="${name}" value="${escaped(value)}">`,
      );
      return `<form method="post" action="${escaped(action ?? '')}">${inputs.join('')}<button>${status}</button></form>`;
    };
    return document('Form', returned('success', fields.surl) + returned('failure', fields.furl));
  }
}

function document(title: string, body: string): string {
  return `<!doctype html><title>${title}</title><h1>${title}</h1>${body}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

async function formOf(request: IncomingMessage): Promise<Record<string, string>> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Object.fromEntries(new URLSearchParams(Buffer.concat(parts).toString()));
}
