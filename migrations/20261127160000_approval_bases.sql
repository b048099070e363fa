-- What a request for approval was compared with when it was made, so that its difference stays the same; and comments on requests.

-- The fields that the request changes, as they were and as it makes them. Null for requests made by earlier releases.
ALTER TABLE approvals
    ADD COLUMN base_version bigint,
    ADD COLUMN base jsonb,
    ADD COLUMN proposed jsonb,
    -- Of both: counted with the payload.
    ADD COLUMN base_bytes integer NOT NULL DEFAULT 0;

-- A member's own requests.
CREATE INDEX approvals_org_id_requestor_id_created_at_idx
    ON approvals (org_id, requestor_id, created_at DESC, id DESC) INCLUDE (status);

CREATE TABLE approval_comments (
    id uuid CONSTRAINT approval_comments_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT approval_comments_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    approval_id uuid NOT NULL CONSTRAINT approval_comments_approval_id_fkey REFERENCES approvals ON DELETE CASCADE,
    -- No foreign key: comments outlive their authors' accounts.
    author_id uuid NOT NULL,
    text text NOT NULL,
    created_at timestamptz NOT NULL
);

CREATE INDEX approval_comments_approval_id_created_at_idx ON approval_comments (approval_id, created_at, id);
-- For the bound of a day.
CREATE INDEX approval_comments_org_id_created_at_idx ON approval_comments (org_id, created_at);
