/** A secret for signatures: 256 random bits, in letters that survive every copy. */
export function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `whsec_${[...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('')}`;
}
