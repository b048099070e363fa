-- Subscriptions, and the events that they are made of. What a gateway tells arrives late, twice and out of order, so every
-- event is kept, and a subscription is computed again from all of its events in the order in which they happened.

CREATE TABLE subscriptions (
    id uuid CONSTRAINT subscriptions_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT subscriptions_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    gateway text NOT NULL
        CONSTRAINT subscriptions_gateway_check CHECK (gateway IN ('gateway_form', 'gateway_redirect')),
    -- The gateway's id of it, and of who pays. gateway_form has neither.
    gateway_ref text,
    customer_ref text,
    status text NOT NULL CONSTRAINT subscriptions_status_check CHECK (status IN ('active', 'past_due', 'canceled')),
    -- Whether it gives the organization Pro: from an activation until it is over, past-due times included.
    entitlement text NOT NULL
        CONSTRAINT subscriptions_entitlement_check CHECK (entitlement IN ('never', 'now', 'over')),
    current_period_start timestamptz,
    current_period_end timestamptz,
    cancel_at_period_end boolean NOT NULL,
    past_due_since timestamptz,
    -- When the first of its events happened: of several live subscriptions the latest counts.
    started_at timestamptz NOT NULL,
    -- When to ask the gateway how it stands, or to cancel it there; null while both sides agree.
    settle_at timestamptz,
    settle_attempts integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT subscriptions_gateway_gateway_ref_key UNIQUE (gateway, gateway_ref)
);

-- The only one of gateway_form, and one of gateway_redirect whose id is not known yet.
CREATE UNIQUE INDEX subscriptions_org_id_gateway_key ON subscriptions (org_id, gateway) WHERE gateway_ref IS NULL;
CREATE INDEX subscriptions_org_id_idx ON subscriptions (org_id);
CREATE INDEX subscriptions_current_period_end_idx ON subscriptions (current_period_end) WHERE status = 'active';
CREATE INDEX subscriptions_past_due_since_idx ON subscriptions (past_due_since) WHERE status = 'past_due';
CREATE INDEX subscriptions_settle_at_idx ON subscriptions (settle_at) WHERE settle_at IS NOT NULL;

CREATE TABLE subscription_events (
    id uuid CONSTRAINT subscription_events_pkey PRIMARY KEY,
    gateway text NOT NULL
        CONSTRAINT subscription_events_gateway_check CHECK (gateway IN ('gateway_form', 'gateway_redirect')),
    -- The gateway's id of the event; null for what was decided here.
    event_ref text,
    -- Null while nobody knows which organization it belongs to; gateway_ref may tell later.
    subscription_id uuid
        CONSTRAINT subscription_events_subscription_id_fkey REFERENCES subscriptions ON DELETE CASCADE,
    gateway_ref text,
    kind text NOT NULL
        CONSTRAINT subscription_events_kind_check
        CHECK (kind IN ('activated', 'reported', 'payment_failed', 'lapsed', 'ending', 'canceled', 'unpaid')),
    -- What it says; null where it says nothing.
    status text CONSTRAINT subscription_events_status_check CHECK (status IN ('active', 'past_due', 'canceled')),
    customer_ref text,
    cancel_at_period_end boolean,
    period_start timestamptz,
    period_end timestamptz,
    -- By the gateway's clock, or ours for our own.
    happened_at timestamptz NOT NULL,
    -- Decides between events of the same second: the one that arrived later counts.
    sequence bigint GENERATED ALWAYS AS IDENTITY,
    received_at timestamptz NOT NULL,
    CONSTRAINT subscription_events_gateway_event_ref_key UNIQUE (gateway, event_ref)
);

CREATE INDEX subscription_events_subscription_id_idx ON subscription_events (subscription_id, happened_at, sequence);
CREATE INDEX subscription_events_unplaced_idx ON subscription_events (gateway, gateway_ref) WHERE subscription_id IS NULL;
CREATE INDEX subscription_events_unplaced_received_at_idx ON subscription_events (received_at)
    WHERE subscription_id IS NULL;

-- Checkouts that were begun: the reference by which a payment is recognised, and where the payer returns to.

CREATE TABLE checkouts (
    id uuid CONSTRAINT checkouts_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT checkouts_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    -- Who began it: no foreign key, a payment counts even if they have left.
    user_id uuid NOT NULL,
    gateway text NOT NULL CONSTRAINT checkouts_gateway_check CHECK (gateway IN ('gateway_form', 'gateway_redirect')),
    -- gateway_form: our transaction id, which its callback names.
    txnid text CONSTRAINT checkouts_txnid_key UNIQUE,
    -- gateway_redirect: its id of the session, by which it can be asked for the outcome.
    session_ref text CONSTRAINT checkouts_session_ref_key UNIQUE,
    -- In the smallest unit of the currency.
    amount_minor bigint NOT NULL CONSTRAINT checkouts_amount_minor_check CHECK (amount_minor > 0),
    email text NOT NULL,
    return_path text NOT NULL,
    created_at timestamptz NOT NULL,
    -- When it led to a subscription.
    completed_at timestamptz,
    -- When to ask the gateway for the outcome, if it does not tell; null when there is nothing to ask.
    settle_at timestamptz,
    settle_attempts integer NOT NULL DEFAULT 0,
    CONSTRAINT checkouts_reference_check CHECK (
        (gateway = 'gateway_form') = (txnid IS NOT NULL) AND (gateway = 'gateway_redirect') = (session_ref IS NOT NULL)
    )
);

CREATE INDEX checkouts_org_id_created_at_idx ON checkouts (org_id, created_at);
CREATE INDEX checkouts_settle_at_idx ON checkouts (settle_at) WHERE settle_at IS NOT NULL;
CREATE INDEX checkouts_created_at_idx ON checkouts (created_at);
