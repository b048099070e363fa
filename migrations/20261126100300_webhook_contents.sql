-- The contents of webhook events: stored once per event, whatever the number of webhooks, with the names of the time of the
-- change. Queues and recorded deliveries refer to them by position.

CREATE TABLE webhook_contents (
    org_id uuid NOT NULL CONSTRAINT webhook_contents_org_id_fkey REFERENCES webhook_heads (org_id) ON DELETE CASCADE,
    position bigint NOT NULL,
    event_type text NOT NULL,
    happened_at timestamptz NOT NULL,
    flag_id uuid,
    flag_key text,
    flag_name text,
    env_id uuid,
    env_slug text,
    env_name text,
    project_id uuid,
    project_slug text,
    project_name text,
    actor_type text NOT NULL,
    actor_id uuid,
    actor_name text,
    -- Id, type, key and name of the thing that the event is about, and the names of the changed fields.
    subject jsonb NOT NULL,
    -- The changed fields with their values. NULL: none, or too long.
    before_values jsonb,
    after_values jsonb,
    truncated boolean NOT NULL,
    -- Its share of webhook_heads.content_bytes.
    bytes integer NOT NULL,
    CONSTRAINT webhook_contents_pkey PRIMARY KEY (org_id, position)
);

ALTER TABLE webhook_heads
    -- Bytes of the organization's contents, at most a bound.
    ADD COLUMN content_bytes bigint NOT NULL DEFAULT 0,
    -- The last event when contents without a reference were last deleted.
    ADD COLUMN purged_to bigint NOT NULL DEFAULT 0;

-- The earlier delivery whose contents are sent again. It may be gone.
ALTER TABLE webhook_events ADD COLUMN redelivery_of uuid;
ALTER TABLE webhook_queue ADD COLUMN redelivery_of uuid;

-- NULL in rows that the release before wrote.
ALTER TABLE webhook_deliveries
    ADD COLUMN position bigint,
    ADD COLUMN redelivery_of uuid,
    ADD COLUMN attempts integer,
    ADD COLUMN duration_ms integer,
    -- Why the last attempt failed.
    ADD COLUMN error text,
    -- The beginning of the last answer's body.
    ADD COLUMN response_body text;

ALTER TABLE webhooks
    ADD COLUMN format text NOT NULL DEFAULT 'json'
        CONSTRAINT webhooks_format_check CHECK (format IN ('json', 'slack', 'discord', 'teams'));
