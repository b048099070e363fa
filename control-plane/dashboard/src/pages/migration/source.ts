/** The source of an import and the choices about it, as the wizard edits them. */
import type { Item, Provider, Source } from './queries';

/** What leads to the source. The credential is nowhere else. */
export interface Credentials {
  provider: Provider;
  baseUrl: string;
  projectKey: string;
  apiKey: string;
}

export interface Choices {
  projectId: string;
  /** Whether percentages reach the same users as at the source. */
  keepsBuckets: boolean;
  /** Slugs here by environments there, where another one than their own was chosen. */
  environments: Record<string, string>;
}

/** Flagsmith draws in a way that cannot be kept. */
export function canKeepBuckets(provider: Provider): boolean {
  return provider !== 'provider_c';
}

/** The fields that a request names the source by. */
export function sourceOf({ provider, baseUrl, projectKey, apiKey }: Credentials): Source {
  return {
    provider,
    api_key: apiKey.trim(),
    ...given('base_url', baseUrl),
    ...given('project_key', projectKey),
  };
}

function given<Name extends string>(name: Name, text: string): Partial<Record<Name, string>> {
  return text.trim() === '' ? {} : ({ [name]: text.trim() } as Record<Name, string>);
}

/** The same with what is to be made of it. */
export function importOf(credentials: Credentials, choices: Choices): Source {
  const { projectId, keepsBuckets, environments } = choices;
  return {
    ...sourceOf(credentials),
    target_project_id: projectId,
    ...(keepsBuckets && canKeepBuckets(credentials.provider) ? { buckets: 'keep' } : {}),
    ...(Object.keys(environments).length === 0 ? {} : { environments }),
  };
}

/** An environment of the source, and the slug that it would have by itself; `null` while that is not known. */
export interface SourceEnvironment {
  name: string;
  slug: string | null;
}

/** Those of an analysis that chose nothing for them. */
export function environmentsOf(names: readonly string[], items: readonly Item[]): SourceEnvironment[] {
  return names.map(name => {
    const item = items.find(({ kind, source }) => kind === 'environment' && source === name);
    return { name, slug: item?.key ?? null };
  });
}

/** The choices with another slug for an environment; its own one is no choice. */
export function mapped(
  environments: Record<string, string>,
  { name, slug }: SourceEnvironment,
  chosen: string,
): Record<string, string> {
  const { [name]: _, ...others } = environments;
  return chosen === slug ? others : { ...others, [name]: chosen };
}
