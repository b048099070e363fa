import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { UsageEvent } from '../../api/events';
import { useLiveEvents } from '../../frame/Live';
import { useMe } from '../../session/me';
import { FLAG_KEY } from './languages';
import { askedQuery, stepsQuery } from './queries';

/** How often the service is polled: the event stream is for owners and admins, and has the very first evaluation only. */
const ASK_EVERY_MS = 2000;

/**
 * Whether the program has asked, and how often. Who may not read the counters learns from the organization's steps
 * that some program did.
 */
export function useAsked(envId: string): { isAsked: boolean; count: number | null } {
  const client = useQueryClient();
  const isReader = useMe().permissions.includes('metrics.read');
  const asked = useQuery({ ...askedQuery(envId), enabled: isReader, refetchInterval: ASK_EVERY_MS });
  const steps = useQuery({
    ...stepsQuery,
    refetchInterval: ({ state }) => (isReader || state.data?.first_evaluation ? false : ASK_EVERY_MS),
  });
  useLiveEvents(({ event, data }) => {
    if (event !== 'usage') return;
    const first = (data as UsageEvent).first_evaluation;
    if (first?.env_id !== envId || first.flag_key !== FLAG_KEY) return;
    client.setQueryData<number>(askedQuery(envId).queryKey, count => Math.max(count ?? 0, 1));
    void client.invalidateQueries({ queryKey: ['onboarding'] });
  });
  if (!isReader) return { isAsked: steps.data?.first_evaluation === true, count: null };
  const count = asked.data ?? 0;
  return { isAsked: count > 0, count };
}
