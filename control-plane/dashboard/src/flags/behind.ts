import { t } from '../messages/en';
import type { OverviewState } from './overview';

/** What hides behind a switch, in words: rules, rollout, variants, schedules, approvals. */
export function behind(state: OverviewState, now: number): string[] {
  return [
    state.rules > 0 ? t.flags.rules(state.rules) : '',
    state.percentage_rollout !== null && state.percentage_rollout !== 10_000
      ? t.flags.rollout(state.percentage_rollout)
      : '',
    state.variants > 0 ? t.flags.variants(state.variants) : '',
    state.scheduled_enable_at === null ? '' : t.flags.enableAt(state.scheduled_enable_at, now),
    state.scheduled_disable_at === null ? '' : t.flags.disableAt(state.scheduled_disable_at, now),
    state.pending_approvals > 0 ? t.flags.pending(state.pending_approvals) : '',
  ].filter(part => part !== '');
}
