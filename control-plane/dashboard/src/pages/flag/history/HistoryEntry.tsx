import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo, useRef } from 'react';
import { differences } from '../../../diff/differences';
import { Sentences } from '../../../diff/Sentences';
import type { Names } from '../../../diff/versions';
import { Button } from '../../../ui/Button';
import { Chip } from '../../../ui/Chip';
import { useSeen } from '../../../ui/useSeen';
import { Value } from '../../../ui/Value';
import { partsOf } from './compare';
import styles from './History.module.css';
import { history } from './messages';
import { type Entry, versionQuery } from './queries';

interface HistoryEntryProps {
  projectId: string;
  flagKey: string;
  envId: string;
  entry: Entry;
  /** The version before it; `undefined` while its page is not loaded, and for the first one. */
  before: number | undefined;
  isLast: boolean;
  isNow: boolean;
  isOpen: boolean;
  names: Names;
  now: number;
  onOpen: (isOpen: boolean) => void;
  /** Shown while it is open, in place of its sentences. */
  children: ReactNode;
}

/** A version: who made it, when, and what it changed. Its sentences are loaded when it comes into view. */
export function HistoryEntry({ entry, isNow, isOpen, now, onOpen, children, ...rest }: HistoryEntryProps) {
  const row = useRef<HTMLLIElement>(null);
  const isSeen = useSeen(row);
  return (
    <li ref={row} className={styles.entry} data-open={isOpen || undefined}>
      <div className={styles.head}>
        <span>
          <b>
            <Value>{nameOf(entry)}</Value>
          </b>{' '}
          {history.action(entry.action)}
        </span>
        <span className="soft small">{history.version(entry.version)}</span>
        {isNow ? <Chip tone="good">{history.isNow()}</Chip> : null}
        <time dateTime={entry.at} className={styles.when}>
          {history.ago(entry.at, now)} · {history.at(entry.at)}
        </time>
      </div>
      {entry.comment === undefined ? null : (
        <p className={styles.comment}>
          <Value>{history.comment(entry.comment)}</Value>
        </p>
      )}
      {isOpen ? null : <Changes {...rest} entry={entry} isSeen={isSeen} />}
      <div className="row">
        <Button
          look="quiet"
          aria-expanded={isOpen}
          aria-label={isOpen ? undefined : history.open(entry.version, isNow)}
          onPress={() => onOpen(!isOpen)}
        >
          {isOpen ? history.close() : history.openShort(isNow)}
        </Button>
        {entry.approval_id === null ? null : (
          <Link to="/approvals/$id" params={{ id: entry.approval_id }}>
            {history.request()}
          </Link>
        )}
      </div>
      {children}
    </li>
  );
}

export function nameOf({ actor }: Entry): string {
  if (actor.type === 'system') return history.system();
  return actor.name ?? history.gone();
}

type ChangesProps = Pick<
  HistoryEntryProps,
  'projectId' | 'flagKey' | 'envId' | 'entry' | 'before' | 'isLast' | 'names'
> & { isSeen: boolean };

function Changes({ projectId, flagKey, envId, entry, before, isLast, names, isSeen }: ChangesProps) {
  const at = useQuery({ ...versionQuery(projectId, flagKey, envId, entry.version), enabled: isSeen });
  const earlier = useQuery({
    ...versionQuery(projectId, flagKey, envId, before ?? 0),
    enabled: isSeen && before !== undefined,
  });
  const isCreated = entry.action === 'flag.created';
  const sentences = useMemo(() => {
    if (at.data === undefined) return null;
    if (isCreated) return differences({ flag: null }, { flag: at.data.flag }, names);
    return earlier.data === undefined ? null : differences(partsOf(earlier.data), partsOf(at.data), names);
  }, [at.data, earlier.data, isCreated, names]);

  if (sentences !== null) {
    if (sentences.length > 0) return <Sentences sentences={sentences} />;
    return <p className="soft">{history.nothing()}</p>;
  }
  if (isLast) return <p className="soft">{history.first()}</p>;
  return <p className="soft">{entry.changed.length > 0 ? history.changedFields(entry.changed) : ''}</p>;
}
