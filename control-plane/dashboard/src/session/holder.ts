/** The user and the organization of an access token; `null` for one that cannot be read. The service alone checks it. */
export function holderOf(accessToken: string): string | null {
  try {
    const part = accessToken.split('.')[1] ?? '';
    const text = atob(part.replaceAll('-', '+').replaceAll('_', '/'));
    const { sub, org_id } = JSON.parse(text) as Record<string, unknown>;
    return typeof sub === 'string' && typeof org_id === 'string' ? `${sub} ${org_id}` : null;
  } catch {
    return null;
  }
}
