/** The form of a provider: what it begins with, and what it sends. */
import type { Refusal } from '../../api/refusal';
import { isSame } from '../../flagState/isSame';
import type { Provider, ProviderBody, ProviderPatch } from './queries';

export type GivenRole = 'admin' | 'developer' | 'viewer';

/** Those that a provider may give: owners are made by owners. */
export const GIVEN_ROLES: readonly GivenRole[] = ['admin', 'developer', 'viewer'];

export interface Mapping {
  /** Stays with the row while others are removed. */
  id: number;
  value: string;
  role: GivenRole;
}

export interface Edited {
  name: string;
  issuer: string;
  clientId: string;
  /** Empty: the stored one stays. */
  secret: string;
  /** The stored secret goes, and none takes its place. */
  forgetsSecret: boolean;
  provisions: boolean;
  defaultRole: GivenRole;
  /** Empty: roles are kept here. */
  claim: string;
  mappings: readonly Mapping[];
}

/** The form of a new provider, or of a stored one. */
export function edited(stored: Provider | null): Edited {
  return {
    name: stored?.name ?? '',
    issuer: stored?.issuer ?? '',
    clientId: stored?.client_id ?? '',
    secret: '',
    forgetsSecret: false,
    provisions: stored?.provisions_members ?? false,
    defaultRole: given(stored?.default_role),
    claim: stored?.role_claim ?? '',
    mappings: (stored?.role_mappings ?? []).map(({ value, role }, id) => ({ id, value, role: given(role) })),
  };
}

/** The body that makes a provider. */
export function bodyOf(fields: Edited): ProviderBody {
  return {
    name: fields.name.trim(),
    issuer: fields.issuer.trim(),
    client_id: fields.clientId.trim(),
    client_secret: fields.secret === '' ? null : fields.secret,
    provisions_members: fields.provisions,
    default_role: fields.defaultRole,
    role_claim: fields.claim.trim() === '' ? null : fields.claim.trim(),
    role_mappings: fields.mappings.map(({ value, role }) => ({ value, role })),
  };
}

/** The body that changes a provider: only what is another than stored, and a secret only where one is typed or given up. */
export function patchOf(stored: Provider, fields: Edited): ProviderPatch {
  const { client_secret: _, ...before } = bodyOf(edited(stored));
  const { client_secret, ...after } = bodyOf(fields);
  const changed = Object.entries(after).filter(
    ([name, value]) => !isSame(value, before[name as keyof typeof before]),
  );
  const secret = fields.forgetsSecret ? { client_secret: null } : client_secret ? { client_secret } : {};
  return { ...(Object.fromEntries(changed) as ProviderPatch), ...secret };
}

/** The name of a row's field. */
export const rowName = (id: number): string => `role_mapping_${id}`;

/** The row that a refusal of the mappings is about: the first that is empty, too long, or has the value of another. */
export function fieldOf(refusal: Refusal, mappings: readonly Mapping[]): string | null {
  if (refusal.kind !== 'invalid' || refusal.field !== 'role_mappings') return null;
  const found = mappings.find(
    ({ value }, index) =>
      value.trim() === '' || value.length > 255 || mappings.findIndex(other => other.value === value) < index,
  );
  return found === undefined ? null : rowName(found.id);
}

function given(role: Provider['default_role'] | undefined): GivenRole {
  return GIVEN_ROLES.find(known => known === role) ?? 'developer';
}
