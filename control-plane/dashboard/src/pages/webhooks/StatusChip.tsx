import { Chip } from '../../ui/Chip';
import { webhooks as words } from './messages';

export function StatusChip({ isEnabled }: { isEnabled: boolean }) {
  return <Chip tone={isEnabled ? 'good' : 'warn'}>{isEnabled ? words.enabled() : words.paused()}</Chip>;
}
