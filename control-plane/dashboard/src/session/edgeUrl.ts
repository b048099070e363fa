import { useMe } from './me';

/** Stands for the address of edges where the installation does not say it. */
const UNKNOWN = 'https://edge.example.com';

/** Where programs ask for flags, and whether the installation says so. */
export function useEdgeUrl(): { address: string; isKnown: boolean } {
  const { edge_url } = useMe();
  return { address: edge_url ?? UNKNOWN, isKnown: edge_url !== null };
}
