import { useMe } from '../../session/me';
import { mayToggle } from '../../session/permissions';
import { EnvironmentDot } from '../../ui/Chip';
import { Switch } from '../../ui/Switch';
import { useOnline } from '../../ui/useOnline';
import type { CellMenuTarget } from './CellMenu';
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
  onMenu: (target: CellMenuTarget) => void;
}

/** A flag in an environment: the switch, and in words what hides behind it. Without the right to switch it is text. */
export function Cell({ projectId, flag, environment, column, isTabStop, isNarrow, onMenu }: CellProps) {
  const me = useMe();
  const { state, isPending, toggle } = useToggle(projectId, flag, environment);
  const isSwitch = mayToggle(me, environment.id) && !environment.protected;
  const isOnline = useOnline();
  const whyNot = environment.protected
    ? flagsPage.byApproval(environment.name)
    : flagsPage.mayNotToggle(environment.name);
  const tabIndex = isTabStop ? 0 : -1;
  const words = isPending ? [flagsPage.reaching()] : stateSummary(state, Date.now());
  return (
    <div
      role="gridcell"
      aria-colindex={column}
      title={isSwitch ? changedBy(state) : whyNot}
      {...(isSwitch ? {} : { tabIndex })}
    >
      <div className={styles.state}>
        {isSwitch ? (
          <Switch
            label={flagsPage.switchOf(flag.key, environment.name)}
            isLabelHidden
            isOn={state.enabled}
            isDisabled={isPending || !isOnline}
            tabIndex={tabIndex}
            onChange={isOn => void toggle(isOn)}
          />
        ) : null}
        {isNarrow ? (
          <span className={styles.where}>
            <EnvironmentDot color={environment.color} />
            {environment.name}
          </span>
        ) : null}
        {state.enabled ? flagsPage.on() : flagsPage.off()}
        <button
          type="button"
          className={styles.more}
          tabIndex={tabIndex}
          aria-haspopup="menu"
          aria-label={flagsPage.menuOf(flag.key, environment.name)}
          onClick={({ currentTarget: button }) => onMenu({ flagKey: flag.key, environment, button })}
        >
          ⋯
        </button>
      </div>
      {words.length > 0 ? <span className={styles.behind}>{words.join(' · ')}</span> : null}
    </div>
  );
}

function changedBy(state: OverviewState): string | undefined {
  if (state.updated_at === '') return undefined;
  return state.updated_by
    ? flagsPage.updatedBy(state.updated_by.name, state.updated_at)
    : flagsPage.updated(state.updated_at);
}
