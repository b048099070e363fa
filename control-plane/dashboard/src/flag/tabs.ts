import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import type { NamedProject } from '../frame/project';
import type { Environment, Flag } from './model';
import type { FlagTab } from './urlState';

export interface TabProps {
  project: NamedProject;
  flag: Flag;
  environment: Environment;
}

interface TabEntry {
  id: FlagTab;
  Panel: LazyExoticComponent<ComponentType<TabProps>>;
}

/** The tabs of a flag in their order, each loaded when it is opened. The state of `environment` is `useDraft()`. */
export const TABS: readonly TabEntry[] = [
  { id: 'targeting', Panel: lazy(() => import('../rules/TargetingTab')) },
  { id: 'explain', Panel: lazy(() => import('../explain/ExplainTab')) },
  { id: 'history', Panel: lazy(() => import('../history/HistoryTab')) },
  { id: 'settings', Panel: lazy(() => import('./settings/SettingsTab')) },
];
