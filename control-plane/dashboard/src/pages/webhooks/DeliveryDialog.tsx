import { useQuery } from '@tanstack/react-query';
import { t } from '../../messages/en';
import { Code } from '../../parts/Code';
import { Button } from '../../ui/Button';
import { CopyButton } from '../../ui/CopyButton';
import { Dialog, DialogActions } from '../../ui/Dialog';
import { PartLoading } from '../../ui/PartLoading';
import { ResultChip } from './DeliveryTable';
import { webhooks as words } from './messages';
import { deliveryQuery } from './queries';
import { readable } from './results';
import styles from './Webhooks.module.css';

interface DeliveryDialogProps {
  webhookId: string;
  deliveryId: string;
  mayRepeat: boolean;
  onRepeat: (id: string) => void;
  onClose: () => void;
}

export function DeliveryDialog(props: DeliveryDialogProps) {
  const { webhookId, deliveryId, mayRepeat, onRepeat, onClose } = props;
  const { data, error } = useQuery(deliveryQuery(webhookId, deliveryId));
  const title = data === undefined ? words.open() : words.deliveryTitle(data.event_type);
  return (
    <Dialog title={title} isOpen isWide onClose={onClose}>
      {data === undefined ? (
        <PartLoading error={error} height="18rem" />
      ) : (
        <>
          <dl className="facts">
            <dt>{words.result()}</dt>
            <dd>
              <ResultChip delivery={data} />
            </dd>
            {data.response_status === 0 && data.error !== null ? null : (
              <>
                <dt>{words.answer()}</dt>
                <dd>{words.statusOf(data)}</dd>
              </>
            )}
            {data.error === null ? null : (
              <>
                <dt>{words.error()}</dt>
                <dd className={styles.error}>{data.error}</dd>
              </>
            )}
            <dt>{words.time()}</dt>
            <dd>{words.at(data.delivered_at)}</dd>
            <dt>{words.attempts()}</dt>
            <dd>{words.attemptCount(data.attempts)}</dd>
            {data.duration_ms === null ? null : (
              <>
                <dt>{words.duration()}</dt>
                <dd>{words.took(data.duration_ms)}</dd>
              </>
            )}
            <dt>{words.id()}</dt>
            <dd>
              <code>{data.id}</code>
            </dd>
            {data.redelivery_of === null ? null : (
              <>
                <dt>{words.repeats()}</dt>
                <dd>
                  <code>{data.redelivery_of}</code>
                </dd>
              </>
            )}
          </dl>
          <h3>{words.body()}</h3>
          {data.body === null ? (
            <p className="soft">{words.noBody()}</p>
          ) : (
            <>
              <Code label={words.body()} text={readable(data.body)} isWrapped />
              <div>
                <CopyButton text={data.body} label={words.copyBody()} />
              </div>
            </>
          )}
          <h3>{words.response()}</h3>
          {data.response_body === null ? (
            <p className="soft">{words.noResponse()}</p>
          ) : (
            <Code label={words.response()} text={data.response_body} isWrapped />
          )}
        </>
      )}
      <DialogActions>
        <Button
          isDisabled={!mayRepeat || data === undefined || data.body === null}
          onPress={() => {
            onRepeat(deliveryId);
            onClose();
          }}
        >
          {words.again()}
        </Button>
        <Button look="primary" onPress={onClose}>
          {t.common.close()}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
