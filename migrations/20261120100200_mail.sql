-- Mails that wait for a mail server. A row is written with the change that the mail is about, so that neither exists without
-- the other, and is deleted when the mail is sent or given up: codes and links do not stay.

CREATE TABLE mails (
    id uuid CONSTRAINT mails_pkey PRIMARY KEY,
    recipient text NOT NULL,
    -- Which mail it is, for counters and logs.
    kind text NOT NULL,
    -- Subject and bodies, sealed by APP_SECRET.
    sealed_content bytea NOT NULL,
    created_at timestamptz NOT NULL,
    -- When to try next. The replica that tries moves it beyond the longest attempt, so that no other does meanwhile.
    due_at timestamptz NOT NULL,
    -- There is no attempt after this: the code in it is no longer valid, or the news is old.
    expires_at timestamptz NOT NULL,
    attempts integer NOT NULL DEFAULT 0 CONSTRAINT mails_attempts_check CHECK (attempts >= 0),
    -- 0: a code or a link that a user waits for; 1: everything else.
    priority smallint NOT NULL DEFAULT 1 CONSTRAINT mails_priority_check CHECK (priority IN (0, 1)),
    -- The organization whose member chose the recipient; null where none did.
    org_id uuid CONSTRAINT mails_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    -- Whether that member's own address is proven.
    by_verified boolean NOT NULL DEFAULT true,
    -- Whether it was counted for its recipient; further attempts are not.
    is_counted boolean NOT NULL DEFAULT false
);

CREATE INDEX mails_priority_due_at_idx ON mails (priority, due_at);
CREATE INDEX mails_org_id_recipient_idx ON mails (org_id, recipient);

-- The earliest times at which mail that members of an organization cause is sent, for an hour back. The row's lock makes counting
-- exact.
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
    -- Links that prove the address; our mail about the account, and about organizations; mail of members whose own address is
    -- proven, and of other members. Each counts apart, so that mail to addresses that members chose holds back none of ours.
    counted text NOT NULL CONSTRAINT address_mails_counted_check
        CHECK (counted IN ('link', 'account', 'organization', 'verified', 'unverified')),
    times timestamptz[] NOT NULL,
    last_time timestamptz NOT NULL,
    CONSTRAINT address_mails_pkey PRIMARY KEY (address, counted)
);

CREATE INDEX address_mails_last_time_idx ON address_mails (last_time);
