-- How much mail one organization can cause and one address is sent, and codes before everything else.

ALTER TABLE mails
    -- 0: a code or a link that somebody waits for; 1: everything else.
    ADD COLUMN priority smallint NOT NULL DEFAULT 1 CONSTRAINT mails_priority_check CHECK (priority IN (0, 1)),
    -- The organization whose member chose the recipient; null where nobody did.
    ADD COLUMN org_id uuid CONSTRAINT mails_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    -- Whether that member's own address is proven.
    ADD COLUMN by_verified boolean NOT NULL DEFAULT true,
    -- Whether it was counted for its recipient; further attempts are not.
    ADD COLUMN is_counted boolean NOT NULL DEFAULT false;

CREATE INDEX mails_priority_due_at_idx ON mails (priority, due_at);
CREATE INDEX mails_org_id_recipient_idx ON mails (org_id, recipient);
DROP INDEX mails_due_at_idx;

-- When mail that members of an organization cause leaves at the earliest, for an hour back. The row's lock makes counting exact.
CREATE TABLE org_mails (
    org_id uuid NOT NULL CONSTRAINT org_mails_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    -- Members whose own address is proven count apart from others.
    by_verified boolean NOT NULL,
    -- Oldest first.
    times timestamptz[] NOT NULL,
    last_time timestamptz NOT NULL,
    CONSTRAINT org_mails_pkey PRIMARY KEY (org_id, by_verified)
);

CREATE INDEX org_mails_last_time_idx ON org_mails (last_time);

-- When mail was sent to an address within the last hour. Addresses belong to no organization.
CREATE TABLE address_mails (
    address text NOT NULL,
    -- Links that prove the address, mail of members whose own address is proven, mail of others.
    counted text NOT NULL CONSTRAINT address_mails_counted_check CHECK (counted IN ('link', 'verified', 'unverified')),
    times timestamptz[] NOT NULL,
    last_time timestamptz NOT NULL,
    CONSTRAINT address_mails_pkey PRIMARY KEY (address, counted)
);

CREATE INDEX address_mails_last_time_idx ON address_mails (last_time);
