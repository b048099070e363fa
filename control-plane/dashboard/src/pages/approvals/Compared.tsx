import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Difference } from '../../diff/Difference';
import { differences } from '../../diff/differences';
import { fieldDifferences } from '../../diff/fieldDifferences';
import { Sentences } from '../../diff/Sentences';
import { useNames } from '../../diff/useNames';
import type { Names } from '../../diff/versions';
import { usePolling } from '../../frame/Live';
import { Button } from '../../ui/Button';
import { Banner } from '../../ui/Feedback';
import { PageLoading } from '../../ui/PageLoading';
import { Decision } from './Decision';
import { type Fields, only, partsOf } from './fields';
import { approvals } from './messages';
import { Preview } from './Preview';
import { type Approval, type Diff, diffQuery } from './queries';

interface ComparedProps {
  approval: Approval;
  /** The discussion, which a reviewer reads before a preview. */
  children: ReactNode;
}

/**
 * The difference and what moved since, and below it the review of exactly that. Keeps the version that is shown while
 * another one is stored: nobody approves what they have not seen. The discussion keeps its place while the difference
 * loads, and with it what is being written.
 */
export function Compared({ approval, children }: ComparedProps) {
  const { data: stored, error } = useQuery({ ...diffQuery(approval), refetchInterval: usePolling() });
  const [shown, setShown] = useState(stored);
  if (shown === undefined && stored !== undefined) setShown(stored);
  const isPending = approval.status === 'pending';
  return (
    <>
      {stored !== undefined && shown !== undefined ? (
        <Shown approval={approval} shown={shown} stored={stored} onCatchUp={() => setShown(stored)} />
      ) : (
        <PageLoading error={error} height="16rem" />
      )}
      {children}
      {isPending && shown?.current && approval.flag_key !== null ? (
        <Preview approval={approval} diff={shown} />
      ) : null}
    </>
  );
}

interface ShownProps {
  approval: Approval;
  shown: Diff;
  stored: Diff;
  onCatchUp: () => void;
}

function Shown({ approval, shown, stored, onCatchUp }: ShownProps) {
  const names = useNames(approval.project_id);
  const isPending = approval.status === 'pending';
  const isBehind = isPending && stored.current_version !== shown.current_version;
  const diff = isPending ? shown : stored;
  const { base, proposed, current, conflicts } = diff;
  const isMoved = base !== null && diff.current_version !== diff.base_version;
  return (
    <>
      {isBehind ? (
        <Banner tone="warn" actions={<Button onPress={onCatchUp}>{approvals.showNow()}</Button>}>
          {approvals.behind()}
        </Banner>
      ) : null}
      {isPending && current === null ? <Banner tone="warn">{approvals.flagGone()}</Banner> : null}
      {base === null ? <Banner tone="note">{approvals.noBase()}</Banner> : null}
      <section className="card" aria-labelledby="changes">
        <div className="stack close">
          <h2 id="changes">{approvals.changes()}</h2>
          {base === null ? null : <p className="soft">{approvals.changesText()}</p>}
        </div>
        {Object.keys(proposed).length === 0 ? (
          <p>{approvals.changesNothing()}</p>
        ) : (
          <Difference
            before={partsOf(base ?? current ?? {})}
            after={partsOf(proposed)}
            names={names}
            json={{ before: base ?? current ?? {}, after: proposed }}
          />
        )}
      </section>
      {isPending && current !== null && base !== null && conflicts.length > 0 ? (
        <section className="card" aria-labelledby="moved">
          <h2 id="moved">{approvals.movedTitle()}</h2>
          <Banner tone="warn">{approvals.moved(conflicts)}</Banner>
          <Told
            title={approvals.since()}
            before={only(base, conflicts)}
            after={only(current, conflicts)}
            names={names}
          />
          <Told title={approvals.ifApproved()} before={current} after={proposed} names={names} />
        </section>
      ) : null}
      {isPending && isMoved && current !== null && conflicts.length === 0 ? (
        <p className="soft">{approvals.movedElsewhere()}</p>
      ) : null}
      <Decision approval={approval} diff={shown} isBehind={isBehind} onBehind={onCatchUp} />
    </>
  );
}

interface ToldProps {
  title: string;
  before: Fields;
  after: Fields;
  names: Names;
}

/** A difference in sentences, under a title of its own. */
function Told({ title, before, after, names }: ToldProps) {
  const sentences = differences(partsOf(before), partsOf(after), names);
  const all = sentences.length > 0 ? sentences : fieldDifferences(before, after);
  return (
    <div className="stack close">
      <h3>{title}</h3>
      {all.length > 0 ? <Sentences sentences={all} /> : <p className="soft">{approvals.nothingLeft()}</p>}
    </div>
  );
}
