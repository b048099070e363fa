import { Link } from '@tanstack/react-router';
import type { Environment } from '../../api/model';
import { Sentences } from '../../diff/Sentences';
import type { NamedProject } from '../../frame/project';
import { basisPoints } from '../../messages/format';
import { Button } from '../../ui/Button';
import { EnvironmentDot } from '../../ui/Chip';
import { Value } from '../../ui/Value';
import styles from './Compare.module.css';
import type { Difference } from './difference';
import { compare } from './messages';
import type { Differing } from './queries';

interface DifferingFlagProps {
  project: NamedProject;
  flag: Differing;
  difference: Difference;
  from: Environment;
  to: Environment;
  mayPromote: boolean;
  isSelected: boolean;
  onSelect: (isOn: boolean) => void;
  onPromote: () => void;
}

/** A flag in both environments, in short and side by side, and their difference in sentences. */
export function DifferingFlag(props: DifferingFlagProps) {
  const { project, flag, difference, from, to, mayPromote, isSelected, onSelect, onPromote } = props;
  const { all, copied, left, canPromote } = difference;
  const isPartly = canPromote && left.length > 0;
  const why = canPromote
    ? null
    : flag.from === null
      ? compare.nothingStored(from.name)
      : compare.scheduleOnly();
  return (
    <li className={styles.flag}>
      <div className={styles.head}>
        {mayPromote ? (
          <input
            type="checkbox"
            aria-label={compare.select(flag.name)}
            checked={isSelected && canPromote}
            disabled={!canPromote}
            onChange={({ currentTarget }) => onSelect(currentTarget.checked)}
          />
        ) : null}
        <div className={styles.names}>
          <Link
            to="/p/$project/flags/$key"
            params={{ project: project.slug, key: flag.key }}
            search={{ env: to.slug }}
            className={styles.name}
          >
            <Value>{flag.name}</Value>
          </Link>
          <code className={styles.key}>{flag.key}</code>
        </div>
        {mayPromote && canPromote ? <Button onPress={onPromote}>{compare.promoteOne()}</Button> : null}
      </div>
      <div className={styles.sides}>
        <Side environment={from} state={flag.from} />
        <Side environment={to} state={flag.to} />
      </div>
      <div className={styles.difference}>
        {isPartly && copied.length === 0 ? null : (
          <>
            <p className="soft small">{compare.difference(from.name, to.name)}</p>
            <Sentences sentences={isPartly ? copied : all} />
          </>
        )}
        {isPartly ? (
          <>
            <p className="soft small">{compare.left()}</p>
            <Sentences sentences={left} />
            {difference.hasVariants ? <p className="soft small">{compare.leftVariants()}</p> : null}
          </>
        ) : null}
        {why === null ? null : <p className="soft small">{why}</p>}
      </div>
    </li>
  );
}

function Side({ environment, state }: { environment: Environment; state: Differing['from'] }) {
  const parts =
    state === null
      ? []
      : [
          state.rules.length > 0 ? compare.rules(state.rules.length) : '',
          state.percentage_rollout === null || state.percentage_rollout === 10_000
            ? ''
            : basisPoints(state.percentage_rollout),
          state.variants.length > 0 ? compare.variants(state.variants.length) : '',
        ].filter(part => part !== '');
  const isOn = state?.enabled === true;
  return (
    <div className={styles.side}>
      <EnvironmentDot color={environment.color} />
      <span>{compare.inEnvironment(environment.name)}</span>
      <strong className={isOn ? styles.on : styles.off}>
        {[isOn ? compare.on() : compare.off(), ...parts].join(' · ')}
      </strong>
    </div>
  );
}
