-- Sign-ups that wait for the code that was mailed, and how many codes an address was sent.

CREATE TABLE pending_signups (
    email text CONSTRAINT pending_signups_pkey PRIMARY KEY,
    name text NOT NULL,
    org_name text NOT NULL,
    data_region text NOT NULL,
    -- PHC string.
    password_hash text NOT NULL,
    -- Keyed by APP_SECRET: six digits alone would be found by trying.
    code_hash bytea NOT NULL,
    code_sent_at timestamptz NOT NULL,
    code_expires_at timestamptz NOT NULL,
    failed_attempts integer NOT NULL DEFAULT 0
        CONSTRAINT pending_signups_failed_attempts_check CHECK (failed_attempts >= 0)
);

CREATE INDEX pending_signups_code_expires_at_idx ON pending_signups (code_expires_at);

-- When codes of any kind were sent to an address within the last hour. One row an address, whose lock makes counting exact.
CREATE TABLE sent_codes (
    email text CONSTRAINT sent_codes_pkey PRIMARY KEY,
    sent_at timestamptz[] NOT NULL,
    last_sent_at timestamptz NOT NULL
);

CREATE INDEX sent_codes_last_sent_at_idx ON sent_codes (last_sent_at);
