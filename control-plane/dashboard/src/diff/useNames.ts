import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { segmentsQuery } from '../flagState/queries';
import type { Names } from './versions';

/** Names of the segments of a project, once they are loaded; flags go by their keys. */
export function useNames(projectId: string): Names {
  const { data } = useQuery(segmentsQuery(projectId));
  return useMemo(() => {
    const segments = new Map(data?.segments.map(({ key, name }) => [key, name]));
    return { segment: key => segments.get(key) ?? key, flag: key => key };
  }, [data]);
}
