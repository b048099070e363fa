import { api, type Outcome, outcome } from '../../api/client';

export function renameOrganization(name: string): Promise<Outcome<unknown>> {
  return outcome(api.PATCH('/v1/organization', { body: { name } }));
}
