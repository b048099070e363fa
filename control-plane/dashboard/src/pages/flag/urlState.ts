/** Which environment and which tab of a flag are open, as the address of the page holds it. */
import { oneOf, present, text } from '../../routes/search';

export const FLAG_TABS = ['targeting', 'explain', 'environments', 'insights', 'history', 'settings'] as const;

export type FlagTab = (typeof FLAG_TABS)[number];

export interface FlagSearch {
  /** The slug of the environment; the first one of the project when absent. */
  env?: string;
  /** `targeting` when absent. */
  tab?: FlagTab;
  /** The version of the history that is open. */
  version?: number;
  /** The other side: another version, or the stored one; the version before when absent. */
  against?: number | 'now';
}

export function readFlagSearch(search: Record<string, unknown>): FlagSearch {
  return present({
    env: text(search.env),
    tab: oneOf(search.tab, FLAG_TABS),
    version: versionOf(search.version),
    against: oneOf(search.against, ['now'] as const) ?? versionOf(search.against),
  });
}

function versionOf(value: unknown): number | undefined {
  return /^[1-9]\d{0,14}$/.test(String(value)) ? Number(value) : undefined;
}

/** The environment that an address names; an unknown one is none, and without a name it is the first. */
export function findEnvironment<T extends { slug: string }>(
  environments: readonly T[],
  slug: string | undefined,
): T | undefined {
  return slug === undefined ? environments[0] : environments.find(environment => environment.slug === slug);
}
