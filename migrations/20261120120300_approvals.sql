-- Changes of flag states that wait for a second person, and what became of them.

CREATE TABLE approvals (
    id uuid CONSTRAINT approvals_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT approvals_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    -- No foreign keys to what the request is about, nor to who asked and who decided: requests are history, and outlive them.
    project_id uuid NOT NULL,
    flag_id uuid NOT NULL,
    env_id uuid NOT NULL,
    change_type text NOT NULL,
    -- The partial flag state as it was given; an empty object when none was.
    payload jsonb NOT NULL CONSTRAINT approvals_payload_check CHECK (jsonb_typeof(payload) = 'object'),
    -- The contract also names 'approved', between the decision and its effect. Both are one transaction, so nobody sees it.
    status text NOT NULL CONSTRAINT approvals_status_check CHECK (status IN ('pending', 'rejected', 'applied')),
    requestor_id uuid NOT NULL,
    reviewer_id uuid,
    review_note text,
    reviewed_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT approvals_reviewed_check
        CHECK ((status = 'pending') = (reviewer_id IS NULL) AND (status = 'pending') = (reviewed_at IS NULL))
);

CREATE INDEX approvals_org_id_created_at_idx ON approvals (org_id, created_at DESC, id DESC);
CREATE INDEX approvals_org_id_status_created_at_idx ON approvals (org_id, status, created_at DESC, id DESC);
