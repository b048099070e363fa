import type { ComponentType } from 'react';
import { part } from '../../ui/part';
import type { TabProps } from './tabProps';
import type { FlagTab } from './urlState';

interface TabEntry {
  id: FlagTab;
  Panel: ComponentType<TabProps>;
}

/** The tabs of a flag in their order, each loaded when it is opened. The state of `environment` is `useDraft()`. */
export const TABS: readonly TabEntry[] = [
  { id: 'targeting', Panel: part(() => import('./targeting/TargetingTab')) },
  { id: 'explain', Panel: part(() => import('./explain/ExplainTab')) },
  { id: 'environments', Panel: part(() => import('./environments/EnvironmentsTab')) },
  { id: 'insights', Panel: part(() => import('./insights/InsightsTab')) },
  { id: 'history', Panel: part(() => import('./history/HistoryTab')) },
  { id: 'settings', Panel: part(() => import('./settings/SettingsTab')) },
];
