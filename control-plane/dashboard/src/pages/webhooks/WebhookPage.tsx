import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { usePolling } from '../../frame/Live';
import { Banner } from '../../ui/Feedback';
import { Optional } from '../../ui/Optional';
import { PageLoading } from '../../ui/PageLoading';
import { usePageTitle } from '../../ui/usePageTitle';
import { Actions } from './Actions';
import { DeleteWebhook } from './DeleteWebhook';
import { DeliveriesCard } from './DeliveriesCard';
import { EditWebhook } from './EditWebhook';
import { isEverything } from './events';
import { webhooks as words } from './messages';
import { type Webhook, webhookQuery } from './queries';
import { SecretDialog } from './SecretDialog';
import { SecretShown } from './SecretShown';
import { SignatureCard } from './SignatureCard';
import { StatusChip } from './StatusChip';
import styles from './Webhooks.module.css';

const route = getRouteApi('/framed/webhooks/$id');

export function WebhookPage() {
  const { id } = route.useParams();
  // Its own deletion is also told by the stream, before the page has left.
  const [isGoing, setGoing] = useState(false);
  const stored = useQuery({ ...webhookQuery(id), refetchInterval: usePolling(), enabled: !isGoing });
  if (stored.data !== undefined) {
    return <Shown key={id} stored={stored.data} isGoing={isGoing} onGoing={setGoing} />;
  }
  return <PageLoading error={stored.error} height="60dvh" />;
}

export type Open =
  | { kind: 'edit' | 'delete' | 'replaceSecret' | 'removeSecret' }
  | { kind: 'shown'; secret: string }
  | null;

interface ShownProps {
  stored: { data: Webhook; etag: string };
  isGoing: boolean;
  onGoing: (isGoing: boolean) => void;
}

function Shown({ stored, isGoing, onGoing }: ShownProps) {
  const webhook = stored.data;
  usePageTitle(webhook.name);
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  return (
    <div className="page">
      <div className="stack close">
        <Link to="/webhooks" className="back">
          {words.back()}
        </Link>
        <div className="row apart">
          <div className="row">
            <h1 className={styles.name}>{webhook.name}</h1>
            <StatusChip isEnabled={webhook.enabled} />
          </div>
          <Actions stored={stored} onOpen={setOpen} />
        </div>
      </div>
      {webhook.enabled ? null : <Banner tone="note">{words.pausedText()}</Banner>}
      <Details webhook={webhook} />
      <DeliveriesCard webhook={webhook} isGoing={isGoing} />
      <SignatureCard hasSecret={webhook.has_secret} onOpen={setOpen} />
      <Optional onClose={close}>
        {open?.kind === 'edit' ? <EditWebhook stored={stored} onClose={close} /> : null}
        {open?.kind === 'delete' ? <DeleteWebhook stored={stored} onGoing={onGoing} onClose={close} /> : null}
        {open?.kind === 'replaceSecret' || open?.kind === 'removeSecret' ? (
          <SecretDialog
            stored={stored}
            isRemoved={open.kind === 'removeSecret'}
            onMade={secret => setOpen({ kind: 'shown', secret })}
            onClose={() => setOpen(now => (now?.kind === 'shown' ? now : null))}
          />
        ) : null}
      </Optional>
      {open?.kind === 'shown' ? <SecretShown secret={open.secret} onClose={close} /> : null}
    </div>
  );
}

function Details({ webhook }: { webhook: Webhook }) {
  const { url, events, format, has_secret, created_at } = webhook;
  return (
    <section className="card" aria-labelledby="webhook-details">
      <h2 id="webhook-details">{words.details()}</h2>
      <dl className="facts">
        <dt>{words.url()}</dt>
        <dd>
          <code>{url}</code>
        </dd>
        <dt>{words.events()}</dt>
        <dd>{isEverything(events) ? words.everything() : words.everyName(events)}</dd>
        <dt>{words.format()}</dt>
        <dd>{words.formatName(format)}</dd>
        <dt>{words.signing()}</dt>
        <dd>{has_secret ? words.signed() : words.unsigned()}</dd>
        <dt>{words.createdAt()}</dt>
        <dd>
          <time dateTime={created_at}>{words.at(created_at)}</time>
        </dd>
      </dl>
    </section>
  );
}
