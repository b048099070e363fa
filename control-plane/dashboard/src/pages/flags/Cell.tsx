import { Link } from '@tanstack/react-router';
import { isProduction } from '../../flagState/isProduction';
import { useMe } from '../../session/me';
import { mayRequest, mayToggle } from '../../session/permissions';
import { EnvironmentDot } from '../../ui/Chip';
import { Switch } from '../../ui/Switch';
import { useOnline } from '../../ui/useOnline';
import type { SwitchQuestion } from './ConfirmSwitch';
import styles from './Flags.module.css';
import { flagsPage } from './messages';
import type { OverviewEnvironment, OverviewFlag, OverviewState } from './overview';
import { stateSummary } from './stateSummary';
import { useToggle } from './useToggle';

interface CellProps {
  projectId: string;
  flag: OverviewFlag;
  environment: OverviewEnvironment;
  column: number;
  isTabStop: boolean;
  /** There is no column over it that names the environment. */
  isNarrow: boolean;
  onQuestion: (question: SwitchQuestion) => void;
}

/**
 * A flag in an environment: the switch, and in words what hides behind it. Without the right to switch it is text. In a
 * protected environment the switch leads to a request, and in production it asks first.
 */
export function Cell({ projectId, flag, environment, column, isTabStop, isNarrow, onQuestion }: CellProps) {
  const me = useMe();
  const { state, isPending, toggle } = useToggle(projectId, flag, environment);
  const isSwitch = mayToggle(me, environment.id) && (!environment.protected || mayRequest(me));
  const isOnline = useOnline();
  const whyNot = environment.protected
    ? flagsPage.byApproval(environment.name)
    : flagsPage.mayNotToggle(environment.name);
  const tabIndex = isTabStop ? 0 : -1;
  const words = isPending ? [flagsPage.reaching()] : stateSummary(state, Date.now());
  const text = [state.enabled ? flagsPage.on() : flagsPage.off(), ...words].join(' · ');
  const press = (enabled: boolean) => {
    if (environment.protected || isProduction(environment)) {
      onQuestion({ flag, environment, enabled, words, run: () => void toggle(enabled) });
    } else void toggle(enabled);
  };
  return (
    <div
      role="gridcell"
      aria-colindex={column}
      className={state.enabled ? `${styles.state} ${styles.isOn}` : styles.state}
      title={isSwitch ? [text, changedBy(state)].filter(part => part !== '').join('\n') : whyNot}
      {...(isSwitch ? {} : { tabIndex })}
    >
      {isSwitch ? (
        <Switch
          label={flagsPage.switchOf(flag.key, environment.name)}
          isLabelHidden
          isOn={state.enabled}
          isDisabled={isPending || !isOnline}
          tabIndex={tabIndex}
          onChange={press}
        />
      ) : null}
      {isNarrow ? (
        <span className={styles.where}>
          <EnvironmentDot color={environment.color} />
          {environment.name}
        </span>
      ) : null}
      <span className={styles.behind}>{text}</span>
      {state.pending_approvals === 0 ? null : (
        <Link
          to="/approvals"
          search={{ project: projectId, flag: flag.key }}
          tabIndex={tabIndex}
          className={styles.waits}
        >
          {flagsPage.pending(state.pending_approvals)}
        </Link>
      )}
    </div>
  );
}

function changedBy(state: OverviewState): string {
  if (state.updated_at === '' || state.version === 0) return '';
  return state.updated_by
    ? flagsPage.updatedBy(state.updated_by.name, state.updated_at)
    : flagsPage.updated(state.updated_at);
}
