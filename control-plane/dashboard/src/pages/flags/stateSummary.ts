import { flagsPage } from './messages';
import type { OverviewState } from './overview';

/** A state in words: rules, rollout, variants, schedules. */
export function stateSummary(state: OverviewState, now: number): string[] {
  return [
    state.rules > 0 ? flagsPage.rules(state.rules) : '',
    state.percentage_rollout !== null && state.percentage_rollout !== 10_000
      ? flagsPage.rollout(state.percentage_rollout)
      : '',
    state.variants > 0 ? flagsPage.variants(state.variants) : '',
    state.scheduled_enable_at === null ? '' : flagsPage.enableAt(state.scheduled_enable_at, now),
    state.scheduled_disable_at === null ? '' : flagsPage.disableAt(state.scheduled_disable_at, now),
  ].filter(part => part !== '');
}
