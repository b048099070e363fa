import { useQuery } from '@tanstack/react-query';
import { Refused } from '../../api/refusal';
import { Code } from '../../parts/Code';
import { Dialog } from '../../ui/Dialog';
import { Banner, Loading, Skeleton } from '../../ui/Feedback';
import { refusalText } from '../../ui/refusalText';
import styles from './Approvals.module.css';
import { asJson, presentOf, requestedOf } from './compare';
import { approvals } from './messages';
import { type Approval, approvalQuery, stateQuery } from './queries';
import { ReviewForm } from './ReviewForm';

/** One request: who asked for what, the change beside the present state, and the review. */
export function RequestDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error } = useQuery(approvalQuery(id));
  const gone = approvals.gone();
  const title =
    data === undefined ? approvals.title() : approvals.request(data.flag_key ?? gone, data.env_slug ?? gone);
  return (
    <Dialog title={title} isOpen isWide onClose={onClose}>
      {data === undefined && error instanceof Refused ? (
        <Banner tone="bad">{refusalText(error.refusal)}</Banner>
      ) : null}
      {data === undefined && error === null ? (
        <Loading>
          <Skeleton height="16rem" />
        </Loading>
      ) : null}
      {data === undefined ? null : (
        <>
          <Facts approval={data} />
          <Change approval={data} />
          <ReviewForm approval={data} onClose={onClose} />
        </>
      )}
    </Dialog>
  );
}

function Facts({ approval }: { approval: Approval }) {
  const gone = approvals.gone();
  const facts: [string, string][] = [
    [approvals.project(), approval.project_slug ?? gone],
    [approvals.flag(), approval.flag_key ?? gone],
    [approvals.environment(), approval.env_slug ?? gone],
    [approvals.change(), approval.change_type],
    [approvals.by(), approvals.decided(approval.requestor_name ?? gone, approval.created_at)],
  ];
  if (approval.note !== '') facts.push([approvals.note(), approval.note]);
  if (approval.reviewed_at !== null) {
    facts.push([
      approvals.decidedBy(),
      approvals.decided(approval.reviewer_name ?? gone, approval.reviewed_at),
    ]);
  }
  if (approval.review_note) facts.push([approvals.reviewNote(), approval.review_note]);
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value]) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Change({ approval }: { approval: Approval }) {
  const isPending = approval.status === 'pending';
  const { data } = useQuery({ ...stateQuery(approval), enabled: isPending && approval.flag_key !== null });
  const requested = requestedOf(approval);
  return (
    <div className={styles.sides}>
      {isPending && data !== undefined ? (
        <section className="stack close">
          <h3>{approvals.now()}</h3>
          <Code label={approvals.now()} text={asJson(presentOf(data, requested))} />
        </section>
      ) : null}
      <section className="stack close">
        <h3>{approvals.requested()}</h3>
        <Code label={approvals.requested()} text={asJson(requested)} />
      </section>
    </div>
  );
}
