import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Organization } from './organization';
import { until } from './until';

const PAGE = 100;

/**
 * Fills the project with flags `flag-00000`, `flag-00001` and so on, on in some environments, by the one way in which the API
 * takes many at once: an import. The source that it reads is here.
 */
export async function importFlags(organization: Organization, count: number): Promise<void> {
  const keys = organization.environments.map(({ slug }) => slug);
  const source = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://source');
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer(url, keys, count)));
  });
  await new Promise<void>(resolve => source.listen(0, '127.0.0.1', resolve));
  try {
    const { migration_id } = await organization.owner.api.post<{ migration_id: string }>(
      '/v1/migration/execute',
      {
        provider: 'provider_a',
        api_key: 'api-key',
        base_url: `http://127.0.0.1:${(source.address() as AddressInfo).port}`,
        project_key: 'shop',
        target_project_id: organization.project.id,
      },
    );
    const status = await until(
      'import',
      async () => {
        const told = await organization.owner.api.get<{ status: string; flags_imported: number }>(
          `/v1/migration/status/${migration_id}`,
        );
        return told.status === 'completed' || told.status === 'failed' ? told : undefined;
      },
      240,
    );
    if (status.flags_imported !== count) throw new Error(`imported: ${JSON.stringify(status)}`);
  } finally {
    source.close();
    source.closeAllConnections();
  }
}

function answer(url: URL, environments: readonly string[], count: number): unknown {
  const [, , , things] = url.pathname.split('/');
  if (things === 'projects') return { items: environments.map(key => ({ key, name: key })) };
  if (things !== 'flags' || url.search.includes('archived')) return { totalCount: 0, items: [] };
  const offset = Number(url.searchParams.get('offset') ?? 0);
  const items = Array.from({ length: Math.max(0, Math.min(PAGE, count - offset)) }, (_, index) =>
    flag(offset + index, environments),
  );
  return { totalCount: count, items };
}

function flag(number: number, environments: readonly string[]) {
  const key = `flag-${String(number).padStart(5, '0')}`;
  return {
    key,
    name: `Flag ${number}`,
    kind: 'boolean',
    tags: [`team-${number % 7}`],
    variations: [{ value: true }, { value: false }],
    environments: Object.fromEntries(
      environments.map((slug, index) => [
        slug,
        { on: (number + index) % 3 === 0, offVariation: 1, fallthrough: { variation: 0 } },
      ]),
    ),
  };
}
