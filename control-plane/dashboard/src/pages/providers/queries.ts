import { queryOptions } from '@tanstack/react-query';
import { api, demand, type Outcome, outcome } from '../../api/client';
import { everyPage } from '../../api/pages';
import type { Refusal } from '../../api/refusal';
import type { components } from '../../api/schema';

type Schemas = components['schemas'];

export type Provider = Schemas['SignInProvider'];
export type ProviderBody = Schemas['NewSignInProvider'];
export type ProviderPatch = Schemas['SignInProviderPatch'];
export type Domain = Schemas['SignInDomain'];

/** The key that all that is read here begins with. */
export const SIGN_IN = ['sign-in'] as const;

/** The service's sentence for plans without providers. Reading is for every plan, so it is not asked for it. */
export const NOT_IN_PLAN: Refusal = {
  kind: 'plan',
  message: 'sign-in providers require the enterprise plan',
};

/** The redirect address, and whether passwords of members are refused. */
export const settingsQuery = queryOptions({
  queryKey: [...SIGN_IN, 'settings'],
  queryFn: ({ signal }) => demand(api.GET('/v1/organization/sign-in', { signal })),
});

export const providersQuery = queryOptions({
  queryKey: [...SIGN_IN, 'providers'],
  queryFn: ({ signal }) =>
    everyPage(query => demand(api.GET('/v1/organization/sign-in/providers', { params: { query }, signal }))),
});

export const domainsQuery = queryOptions({
  queryKey: [...SIGN_IN, 'domains'],
  queryFn: ({ signal }) =>
    everyPage(query => demand(api.GET('/v1/organization/sign-in/domains', { params: { query }, signal }))),
});

export function createProvider(body: ProviderBody): Promise<Outcome<Provider>> {
  return outcome(api.POST('/v1/organization/sign-in/providers', { body }));
}

export function updateProvider(providerID: string, body: ProviderPatch): Promise<Outcome<Provider>> {
  return outcome(
    api.PATCH('/v1/organization/sign-in/providers/{providerID}', { params: { path: { providerID } }, body }),
  );
}

export function removeProvider(providerID: string): Promise<Outcome<unknown>> {
  return outcome(
    api.DELETE('/v1/organization/sign-in/providers/{providerID}', { params: { path: { providerID } } }),
  );
}

export function addDomain(domain: string): Promise<Outcome<Domain>> {
  return outcome(api.POST('/v1/organization/sign-in/domains', { body: { domain } }));
}

/** Looks the record of a domain up. */
export function checkDomain(domainID: string): Promise<Outcome<Domain>> {
  return outcome(
    api.POST('/v1/organization/sign-in/domains/{domainID}/check', { params: { path: { domainID } } }),
  );
}

export function removeDomain(domainID: string): Promise<Outcome<unknown>> {
  return outcome(
    api.DELETE('/v1/organization/sign-in/domains/{domainID}', { params: { path: { domainID } } }),
  );
}

export function requireProvider(isRequired: boolean): Promise<Outcome<unknown>> {
  return outcome(api.PATCH('/v1/organization/sign-in', { body: { only_by_provider: isRequired } }));
}
