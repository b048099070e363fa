import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

type Row = Record<string, unknown>;
/** The answer to a path with its query; `undefined` is 404. */
type Answer = (path: string, query: URLSearchParams) => unknown;

export const CREDENTIAL = 'api-0123456789abcdef';

/** A source of imports on loopback, which speaks as a platform does as far as an import asks. */
export class Source {
  private release: (() => void) | null = null;
  private held: Promise<void> = Promise.resolve();
  private heldAbout = '';

  private constructor(private readonly server: Server) {}

  static async start(answer: Answer, accepts: readonly string[] = [CREDENTIAL]): Promise<Source> {
    const server = createServer();
    const source = new Source(server);
    server.on('request', (request: IncomingMessage, response) => {
      const url = new URL(request.url ?? '/', 'http://source');
      request.resume();
      request.on('end', async () => {
        if (source.heldAbout !== '' && url.search.includes(source.heldAbout)) await source.held;
        const isKnown = accepts.includes(request.headers.authorization ?? '');
        const body = isKnown ? answer(url.pathname, url.searchParams) : { message: 'Invalid key' };
        const status = isKnown ? (body === undefined ? 404 : 200) : 401;
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body ?? { message: 'not found' }));
      });
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return source;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Holds the answers whose query has this, until `go`. */
  hold(about: string): void {
    this.heldAbout = about;
    this.held = new Promise(resolve => {
      this.release = resolve;
    });
  }

  go(): void {
    this.heldAbout = '';
    this.release?.();
  }

  async stop(): Promise<void> {
    this.go();
    this.server.closeAllConnections();
    await new Promise(resolve => this.server.close(resolve));
  }
}

function recorded(name: string): Row[] {
  const folder = join(import.meta.dirname, '../../platforms/launchdarkly');
  return [1, 2].flatMap(page => JSON.parse(readFileSync(join(folder, `${name}_${page}.json`), 'utf8')).items);
}

function page(items: readonly Row[], query: URLSearchParams, most: number): Row {
  const offset = Number(query.get('offset') ?? 0);
  const limit = Math.min(Number(query.get('limit') ?? 20), most);
  const next = new URLSearchParams(query);
  next.set('offset', String(offset + limit));
  const links = offset + limit < items.length ? { next: { href: `?${next}`, type: 'application/json' } } : {};
  return { items: items.slice(offset, offset + limit), totalCount: items.length, _links: links };
}

/** A plain switch that is on everywhere. */
function flagOf(key: string, environments: readonly Row[]): Row {
  const state = {
    on: true,
    archived: false,
    salt: 's',
    version: 1,
    targets: [],
    contextTargets: [],
    rules: [],
    fallthrough: { variation: 0 },
    offVariation: 1,
    prerequisites: [],
  };
  return {
    key,
    name: key,
    description: '',
    kind: 'boolean',
    creationDate: 1_693_905_528_781,
    tags: [],
    archived: false,
    temporary: true,
    variations: [
      { _id: '1', value: true },
      { _id: '2', value: false },
    ],
    defaults: { onVariation: 0, offVariation: 1 },
    environments: Object.fromEntries(environments.map(({ key: environment }) => [environment, state])),
  };
}

/** LaunchDarkly, with the recorded project, a flag that cannot be imported, and so many plain ones. */
export function launchDarkly(plain = 0): Promise<Source> {
  const environments = recorded('getEnvironmentsByProject');
  const names = [...Array.from({ length: plain }, (_, index) => `plain-${index}`), 'with blanks'];
  const flags = [...recorded('getFeatureFlags'), ...names.map(name => flagOf(name, environments))];
  const answer: Answer = (path, query) => {
    const parts = path.replace('/api/v2/', '').split('/');
    if (parts[0] === 'projects' && parts[2] === 'environments') return page(environments, query, 1000);
    if (parts[0] === 'projects') {
      return { _id: '0', key: parts[1], name: 'Shop', tags: [], environments: page(environments, query, 20) };
    }
    if (parts[0] === 'flags') {
      const isArchived = query.get('filter') === 'state:archived';
      return page(isArchived ? [] : flags, query, 100);
    }
    return parts[0] === 'segments' ? page([], query, 50) : undefined;
  };
  return Source.start((path, query) => {
    const body = answer(path, query) as { _links?: { next?: { href: string } } } | undefined;
    const next = body?._links?.next;
    if (next !== undefined) next.href = path + next.href;
    return body;
  });
}

/** Unleash without exports, with one flag for the users of a segment. */
export function unleash(): Promise<Source> {
  const states = [
    {
      name: 'production',
      enabled: true,
      strategies: [{ name: 'userWithId', parameters: { userIds: 'ada' }, segments: [3] }],
    },
  ];
  const answers: Record<string, unknown> = {
    '/projects': { projects: [{ id: 'default' }, { id: 'shop' }] },
    '/environments': { environments: [{ name: 'production', type: 'production', enabled: true }] },
    '/segments': {
      segments: [
        {
          id: 3,
          name: 'germans',
          constraints: [{ contextName: 'country', operator: 'IN', values: ['DE'] }],
        },
      ],
    },
    '/projects/shop/features': {
      features: [
        { name: 'beta', type: 'release', tags: [{ type: 'simple', value: 'fast' }], environments: states },
        { name: 'old', type: 'release', archived: true },
      ],
    },
  };
  return Source.start(path => answers[path.replace('/api/admin', '')]);
}

/** Flagsmith, with one feature in one environment. */
export function flagsmith(): Promise<Source> {
  const listed = (...results: Row[]) => ({ count: results.length, next: null, previous: null, results });
  const feature = {
    id: 1,
    name: 'checkout',
    type: 'STANDARD',
    default_enabled: true,
    initial_value: null,
    description: '',
    tags: [],
    is_archived: false,
    multivariate_options: [],
    num_segment_overrides: 0,
    num_identity_overrides: 0,
  };
  const state = {
    id: 1,
    feature: 1,
    enabled: true,
    feature_state_value: null,
    identity: null,
    feature_segment: null,
    multivariate_feature_state_values: [],
  };
  const answers: Record<string, unknown> = {
    'projects/': [{ id: 12, name: 'Shop', use_edge_identities: false }],
    'projects/12/': { id: 12, name: 'Shop', use_edge_identities: false },
    'environments/': listed({ id: 7, name: 'Production', api_key: 'production' }),
    'projects/12/features/': listed(feature),
    'projects/12/segments/': listed(),
    'projects/12/tags/': [],
    'features/featurestates/': listed(state),
    'environments/production/featurestates/': listed(),
  };
  return Source.start(path => answers[path.replace('/api/v1/', '')], [`Api-Key ${CREDENTIAL}`]);
}
