import type { Environment } from '../api/model';
import type { Me } from '../session/me';
import { mayGuard } from '../session/permissions';

const READS = ['flags.read', 'segments.read', 'environments.read'];

/** Whether this person may ask edges about drafts. */
export function mayAsk(me: Pick<Me, 'permissions' | 'role'>): boolean {
  return me.role !== 'viewer' && READS.every(key => me.permissions.includes(key));
}

/** Whether this person decides what edges sample of an environment. */
export function maySample(
  me: Pick<Me, 'permissions' | 'role'>,
  environment: Pick<Environment, 'protected'>,
): boolean {
  return me.permissions.includes('environments.create') && (!environment.protected || mayGuard(me));
}

/** Whether edges show this person contexts, and not counts alone. */
export function maySeeExamples(me: Pick<Me, 'permissions'>): boolean {
  return me.permissions.includes('what_if.examples');
}
