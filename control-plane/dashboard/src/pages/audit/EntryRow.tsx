import { useMemo } from 'react';
import { Sentences } from '../../diff/Sentences';
import { Button } from '../../ui/Button';
import { Value } from '../../ui/Value';
import styles from './Audit.module.css';
import { EntryDetails } from './EntryDetails';
import { EnvironmentName } from './EnvironmentName';
import { entryDifference, textOf } from './entryDifference';
import { audit } from './messages';
import type { Entry } from './queries';
import { ThingLink } from './ThingLink';

/** Sentences that are shown before the entry is opened. */
const FIRST = 2;

interface EntryRowProps {
  entry: Entry;
  now: number;
  isOpen: boolean;
  onToggle: () => void;
}

/** An entry: who did what to what, when, why, and the first of what changed. */
export function EntryRow({ entry, now, isOpen, onToggle }: EntryRowProps) {
  const sentences = useMemo(() => entryDifference(entry), [entry]);
  const comment = textOf(entry.metadata, 'comment');
  const deed = audit.actionName(entry.action);
  const what = `${deed} ${entry.resource_name ?? ''}`.trim();
  return (
    <article className={styles.row} aria-label={what}>
      <div className={styles.head}>
        <span className={styles.what}>
          <strong>
            <Value>{actorOf(entry)}</Value>
          </strong>{' '}
          <span>{audit.deed(entry.action)}</span> <ThingLink entry={entry} />{' '}
          <EnvironmentName entry={entry} />
        </span>
        <time dateTime={entry.created_at} title={audit.at(entry.created_at)} className="soft small">
          {audit.ago(entry.created_at, now)}
        </time>
        <Button
          look="quiet"
          aria-expanded={isOpen}
          aria-label={isOpen ? audit.hide() : audit.detailsOf(what)}
          onPress={onToggle}
        >
          {isOpen ? audit.hide() : audit.details()}
        </Button>
      </div>
      {comment === null ? null : (
        <blockquote className={styles.comment}>
          <Value>{comment}</Value>
        </blockquote>
      )}
      {isOpen ? (
        <EntryDetails entry={entry} sentences={sentences} />
      ) : (
        <>
          {sentences.length === 0 ? null : <Sentences sentences={sentences.slice(0, FIRST)} />}
          {sentences.length > FIRST ? (
            <span className="soft small">{audit.more(sentences.length - FIRST)}</span>
          ) : null}
        </>
      )}
    </article>
  );
}

export function actorOf({ actor_type, actor_name }: Entry): string {
  if (actor_type === 'system') return audit.system();
  return actor_name ?? audit.gone();
}
