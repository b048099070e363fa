-- Webhooks, and the way of an event to each of them: written with the change (`webhook_events`), shared out among the webhooks
-- that listen (`webhook_queue`), delivered one after the other (`webhook_lanes`), and recorded (`webhook_deliveries`).
--
-- Deliveries lock only lanes and what hangs on them, so that deleting a webhook, which locks the webhook first and its lane
-- second, never waits for somebody who waits for it.

CREATE TABLE webhooks (
    id uuid CONSTRAINT webhooks_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT webhooks_org_id_fkey REFERENCES organizations (id) ON DELETE CASCADE,
    name text NOT NULL,
    url text NOT NULL,
    -- Sealed by APP_SECRET. NULL: deliveries are not signed.
    sealed_secret bytea,
    -- Empty, or with `*`: all.
    events text[] NOT NULL,
    enabled boolean NOT NULL,
    -- The organization's last event when it began to listen: it hears of none up to this one.
    listens_after bigint NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    -- Counts changes, for `If-Match`.
    revision bigint NOT NULL DEFAULT 1
);

CREATE INDEX webhooks_org_id_created_at_idx ON webhooks (org_id, created_at, id);

-- Counts the events of an organization that has, or had, webhooks. Whoever writes events holds the row until the commit, so
-- that positions are in the order of commits.
CREATE TABLE webhook_heads (
    org_id uuid CONSTRAINT webhook_heads_pkey PRIMARY KEY
        CONSTRAINT webhook_heads_org_id_fkey REFERENCES organizations (id) ON DELETE CASCADE,
    last_position bigint NOT NULL
);

-- Events that were committed and not yet shared out.
CREATE TABLE webhook_events (
    org_id uuid NOT NULL CONSTRAINT webhook_events_org_id_fkey REFERENCES webhook_heads (org_id) ON DELETE CASCADE,
    position bigint NOT NULL,
    -- The only webhook that hears of it (a test); NULL for all that listen. It may be gone.
    webhook_id uuid,
    event_type text NOT NULL,
    flag_id uuid,
    env_id uuid,
    happened_at timestamptz NOT NULL,
    CONSTRAINT webhook_events_pkey PRIMARY KEY (org_id, position)
);

-- One webhook's deliveries happen one after the other. Its lane says when the next attempt is due and who makes it.
CREATE TABLE webhook_lanes (
    webhook_id uuid CONSTRAINT webhook_lanes_pkey PRIMARY KEY
        CONSTRAINT webhook_lanes_webhook_id_fkey REFERENCES webhooks (id) ON DELETE CASCADE,
    org_id uuid NOT NULL,
    -- Rows of its queue.
    pending integer NOT NULL DEFAULT 0 CONSTRAINT webhook_lanes_pending_check CHECK (pending >= 0),
    -- When somebody should look at it: for the next attempt, or because whoever leased it did not come back. NULL: nothing waits.
    due_at timestamptz,
    -- Attempts made with the first of the queue.
    attempts integer NOT NULL DEFAULT 0 CONSTRAINT webhook_lanes_attempts_check CHECK (attempts >= 0),
    -- Who works on it; NULL: nobody.
    lease uuid,
    -- Its last attempt took long: such lanes compete among themselves.
    is_slow boolean NOT NULL DEFAULT false,
    CONSTRAINT webhook_lanes_due_check CHECK ((due_at IS NULL) = (pending = 0))
);

CREATE INDEX webhook_lanes_org_id_idx ON webhook_lanes (org_id);
CREATE INDEX webhook_lanes_due_at_idx ON webhook_lanes (is_slow, due_at) WHERE due_at IS NOT NULL;

-- What each webhook is still owed, at most WEBHOOK_QUEUE_SIZE rows of it.
CREATE TABLE webhook_queue (
    webhook_id uuid NOT NULL
        CONSTRAINT webhook_queue_webhook_id_fkey REFERENCES webhook_lanes (webhook_id) ON DELETE CASCADE,
    position bigint NOT NULL,
    delivery_id uuid NOT NULL,
    event_type text NOT NULL,
    flag_id uuid,
    env_id uuid,
    happened_at timestamptz NOT NULL,
    CONSTRAINT webhook_queue_pkey PRIMARY KEY (webhook_id, position)
);

-- How deliveries ended, the last 50 of each webhook.
CREATE TABLE webhook_deliveries (
    id uuid CONSTRAINT webhook_deliveries_pkey PRIMARY KEY,
    webhook_id uuid NOT NULL
        CONSTRAINT webhook_deliveries_webhook_id_fkey REFERENCES webhook_lanes (webhook_id) ON DELETE CASCADE,
    org_id uuid NOT NULL,
    event_type text NOT NULL,
    -- Of the last attempt; 0 when there was no answer.
    response_status integer NOT NULL,
    success boolean NOT NULL,
    delivered_at timestamptz NOT NULL
);

CREATE INDEX webhook_deliveries_webhook_id_delivered_at_idx ON webhook_deliveries (webhook_id, delivered_at, id);
