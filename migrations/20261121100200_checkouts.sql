-- Checkouts that were begun: what a payment is recognised by, and where the payer returns to.

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
