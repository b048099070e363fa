import { Banner } from '../../ui/Feedback';
import { useOf } from './lifetime';
import { apiKeys as words } from './messages';
import type { ApiKey } from './queries';

/** Whether a program depends on the key, before it is taken away. */
export function KeyUse({ apiKey, now }: { apiKey: ApiKey; now: number }) {
  const use = useOf(apiKey, now);
  const at = apiKey.last_used_at ?? '';
  if (use === 'never') return <p>{words.useNever()}</p>;
  if (use === 'past') return <p>{words.usePast(at, now)}</p>;
  return <Banner tone="warn">{words.useRecent(at, now)}</Banner>;
}
