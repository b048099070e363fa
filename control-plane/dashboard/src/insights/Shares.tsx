import { Banner } from '../ui/Feedback';
import { type Column, Table } from '../ui/Table';
import styles from './Insights.module.css';
import { insights } from './messages';
import { type Share, sharesOf, type Weighted } from './shares';

interface SharesProps {
  environment: string;
  variants: readonly Weighted[];
  /** Evaluations by variant. */
  counts: ReadonlyMap<string, number>;
  /** When the state changed, if that is within the range. */
  changedAt: string | null;
}

const COLUMNS: readonly Column<Share>[] = [
  { id: 'variant', title: insights.variant(), cell: ({ key }) => <bdi>{key}</bdi> },
  {
    id: 'weight',
    title: insights.weight(),
    cell: ({ expected }) => (expected === null ? insights.removed() : insights.percent(expected)),
  },
  { id: 'share', title: insights.share(), cell: ({ share }) => insights.percent(share) },
  { id: 'interval', title: insights.interval(), cell: ({ low, high }) => insights.between(low, high) },
  { id: 'count', title: insights.count(), cell: ({ count }) => insights.evaluations(count) },
  { id: 'verdict', title: insights.verdict(), cell: ({ verdict }) => insights.verdictName(verdict) },
];

/** How often each variant was served, against its weight. */
export function Shares({ environment, variants, counts, changedAt }: SharesProps) {
  const shares = sharesOf(variants, counts);
  const wrong = shares.filter(({ verdict }) => verdict === 'high' || verdict === 'low');
  const isEarly = shares.every(({ verdict }) => verdict === 'unknown');
  return (
    <section className={styles.shares} aria-labelledby="shares">
      <h2 id="shares">{insights.shares()}</h2>
      <p className="soft">{insights.sharesText(environment)}</p>
      {wrong.length > 0 ? (
        <Banner tone="warn">
          <p>{insights.mismatch(wrong.map(({ key }) => key))}</p>
          {changedAt === null ? null : <p>{insights.changedInRange(changedAt)}</p>}
        </Banner>
      ) : (
        <Banner tone={isEarly ? 'note' : 'good'}>{isEarly ? insights.early() : insights.matches()}</Banner>
      )}
      <Table label={insights.shares()} columns={COLUMNS} rows={shares} rowId={({ key }) => key} />
    </section>
  );
}
