import type { Environment } from '../../api/model';
import type { NamedProject } from '../../frame/project';

export const TABS = ['evaluations', 'unknown', 'stale', 'impressions'] as const;
export type Tab = (typeof TABS)[number];

/** What each tab is given. */
export interface TabProps {
  project: NamedProject;
  environments: readonly Environment[];
}
