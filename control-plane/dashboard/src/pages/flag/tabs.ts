import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import type { TabProps } from './tabProps';
import type { FlagTab } from './urlState';

interface TabEntry {
  id: FlagTab;
  Panel: LazyExoticComponent<ComponentType<TabProps>>;
}

/** The tabs of a flag in their order, each loaded when it is opened. The state of `environment` is `useDraft()`. */
export const TABS: readonly TabEntry[] = [
  { id: 'targeting', Panel: lazy(() => import('./targeting/TargetingTab')) },
  { id: 'explain', Panel: lazy(() => import('./explain/ExplainTab')) },
  { id: 'history', Panel: lazy(() => import('./history/HistoryTab')) },
  { id: 'settings', Panel: lazy(() => import('./settings/SettingsTab')) },
];
