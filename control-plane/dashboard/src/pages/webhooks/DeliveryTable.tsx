import { shared } from '../../parts/messages';
import { Button } from '../../ui/Button';
import { Chip } from '../../ui/Chip';
import { type Column, Table } from '../../ui/Table';
import { useNow } from '../../ui/useNow';
import { webhooks as words } from './messages';
import type { Delivery } from './queries';
import { resultOf } from './results';
import styles from './Webhooks.module.css';

interface DeliveryTableProps {
  deliveries: readonly Delivery[];
  mayRepeat: boolean;
  onOpen: (id: string) => void;
  onRepeat: (id: string) => void;
}

export function DeliveryTable({ deliveries, mayRepeat, onOpen, onRepeat }: DeliveryTableProps) {
  const now = useNow(10_000);
  const columns: Column<Delivery>[] = [
    { id: 'result', title: words.result(), cell: delivery => <ResultChip delivery={delivery} /> },
    { id: 'event', title: words.event(), cell: ({ event_type }) => <code>{event_type}</code> },
    {
      id: 'time',
      title: words.time(),
      cell: ({ delivered_at }) => (
        <time dateTime={delivered_at} title={words.at(delivered_at)}>
          {words.ago(delivered_at, now)}
        </time>
      ),
    },
    { id: 'attempts', title: words.attempts(), cell: ({ attempts }) => words.attemptCount(attempts) },
    {
      id: 'answer',
      title: words.answer(),
      cell: delivery => (
        <span className={styles.name}>
          {words.statusOf(delivery)}
          {delivery.duration_ms === null ? null : (
            <span className="soft small">{words.took(delivery.duration_ms)}</span>
          )}
        </span>
      ),
    },
    {
      id: 'actions',
      title: shared.actions(),
      isTitleHidden: true,
      cell: ({ id, event_type, delivered_at }) => (
        <span className={styles.actions}>
          <Button aria-label={words.openOf(event_type, delivered_at)} onPress={() => onOpen(id)}>
            {words.open()}
          </Button>
          <Button
            aria-label={words.againOf(event_type, delivered_at)}
            isDisabled={!mayRepeat}
            onPress={() => onRepeat(id)}
          >
            {words.again()}
          </Button>
        </span>
      ),
    },
  ];
  return <Table label={words.deliveriesTable()} columns={columns} rows={deliveries} rowId={({ id }) => id} />;
}

export function ResultChip({ delivery }: { delivery: Delivery }) {
  const result = resultOf(delivery);
  return (
    <Chip tone={result === 'delivered' ? 'good' : 'warn'}>
      {result === 'delivered' ? words.delivered() : result === 'failed' ? words.failed() : words.dropped()}
    </Chip>
  );
}
