import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Refused } from '../../../api/refusal';
import { Difference } from '../../../diff/Difference';
import { flagFields, type Names, type Parts } from '../../../diff/versions';
import { draftOf, useDraft } from '../../../flagState/draft';
import { useMe } from '../../../session/me';
import { mayEditRules, mayToggle } from '../../../session/permissions';
import { Button } from '../../../ui/Button';
import { Banner, Loading, Skeleton } from '../../../ui/Feedback';
import { refusalText } from '../../../ui/refusalText';
import { Select } from '../../../ui/Select';
import type { TabProps } from '../tabProps';
import { partsOf, type Side, sidesOf, versionBefore } from './compare';
import styles from './History.module.css';
import { nameOf } from './HistoryEntry';
import { history } from './messages';
import { type Entry, versionQuery } from './queries';
import { RestoreDialog } from './RestoreDialog';

interface VersionDetailProps extends TabProps {
  version: number;
  against: number | 'now' | undefined;
  entries: readonly Entry[];
  /** All versions are listed, so that one without another before it is the first. */
  isComplete: boolean;
  names: Names;
  onAgainst: (against: number | 'now' | undefined) => void;
  onClose: () => void;
}

/** A version compared with any other, and the way back to it. */
export function VersionDetail(props: VersionDetailProps) {
  const { project, flag, environment, version, against, entries, isComplete, names, onAgainst } = props;
  const [isRestoring, setRestoring] = useState(false);
  const me = useMe();
  // A version may differ in what this person may change alone; the dialog says so.
  const mayRestore = mayToggle(me, environment.id) || mayEditRules(me, environment.id);
  const before = versionBefore(entries, version);
  const isBeforeKnown = before !== undefined || isComplete;
  const [from, to] = sidesOf(version, against ?? (isBeforeKnown ? undefined : 'now'), before);
  const left = useSide(props, from);
  const right = useSide(props, to);
  const at = useQuery(versionQuery(project.id, flag.key, environment.id, version));

  const failed = [left, right].find(side => side.error instanceof Refused)?.error;
  if (failed instanceof Refused) {
    return (
      <Banner tone="warn" actions={<Button onPress={props.onClose}>{history.close()}</Button>}>
        {failed.refusal.kind === 'absent'
          ? history.noSuch(version, environment.name)
          : refusalText(failed.refusal)}
      </Banner>
    );
  }
  const choices = [
    ...(isBeforeKnown ? [{ id: 'before', label: history.before() }] : []),
    { id: 'now', label: history.storedNow() },
    ...entries
      .filter(entry => entry.version !== version)
      .map(entry => ({
        id: String(entry.version),
        label: history.choice(entry.version, nameOf(entry), entry.at),
      })),
  ];
  const state = at.data?.state;
  const isNow = entries[0]?.version === version;
  return (
    <div className={styles.detail}>
      <div className={styles.against}>
        <Select
          label={history.compareWith()}
          choices={choices}
          value={String(against ?? (isBeforeKnown ? 'before' : 'now'))}
          onChange={id => onAgainst(id === 'before' ? undefined : id === 'now' ? 'now' : Number(id))}
        />
      </div>
      <h2>{history.fromTo(sideName(from), sideName(to))}</h2>
      {left.parts === undefined || right.parts === undefined ? (
        <Loading>
          <Skeleton height="6rem" />
        </Loading>
      ) : (
        <Difference before={left.parts} after={right.parts} names={names} />
      )}
      {isNow ? null : state === null ? (
        <p className="soft">{history.noState()}</p>
      ) : !mayRestore ? (
        <p className="soft">{history.mayNotRestore(environment.name)}</p>
      ) : (
        <div>
          <Button isDisabled={state === undefined} onPress={() => setRestoring(true)}>
            {history.restore(version)}
          </Button>
        </div>
      )}
      {isRestoring && state ? (
        <RestoreDialog
          project={project}
          flag={flag}
          environment={environment}
          version={version}
          state={state}
          names={names}
          onClose={() => setRestoring(false)}
        />
      ) : null}
    </div>
  );
}

function sideName(side: Side): string {
  if (side === 'now') return history.nowSmall();
  return side === 'beginning' ? history.beginning() : history.versionSmall(side);
}

/** One side of a comparison, once it is loaded. */
function useSide(
  { project, flag, environment }: TabProps,
  side: Side,
): { parts?: Parts | undefined; error: Error | null } {
  const { stored } = useDraft();
  const version = typeof side === 'number' ? side : 0;
  const { data, error } = useQuery({
    ...versionQuery(project.id, flag.key, environment.id, version),
    enabled: typeof side === 'number',
  });
  const parts = useMemo((): Parts | undefined => {
    if (side === 'now') return { flag: flagFields(flag), state: draftOf(stored.state) };
    if (side === 'beginning') return { flag: null, state: null };
    return data === undefined ? undefined : partsOf(data);
  }, [side, flag, stored, data]);
  return { parts, error: typeof side === 'number' ? error : null };
}
