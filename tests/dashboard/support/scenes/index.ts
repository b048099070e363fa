import { approvalsScenes } from './approvals';
import { auditScenes } from './audit';
import { changeSetsScenes } from './changeSets';
import { flagScenes } from './flag';
import { flagsScenes } from './flags';
import { fleetScenes } from './fleet';
import { frameScenes } from './frame';
import { insightsScenes } from './insights';
import { migrationScenes } from './migration';
import { projectScenes } from './project';
import { providersScenes } from './providers';
import type { Scene } from './scene';
import { segmentsScenes } from './segments';
import { settingsScenes } from './settings';
import { signInScenes } from './signIn';
import { teamScenes } from './team';
import { webhooksScenes } from './webhooks';

export { type Scene, type State, show, viewportsOf } from './scene';

export const SCENES: readonly Scene[] = [
  ...signInScenes,
  ...flagsScenes,
  ...projectScenes,
  ...insightsScenes,
  ...flagScenes,
  ...segmentsScenes,
  ...approvalsScenes,
  ...changeSetsScenes,
  ...auditScenes,
  ...webhooksScenes,
  ...migrationScenes,
  ...settingsScenes,
  ...providersScenes,
  ...teamScenes,
  ...fleetScenes,
  ...frameScenes,
];
