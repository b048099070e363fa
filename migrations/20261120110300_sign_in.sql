-- Slowing down who guesses passwords, and a second factor for who wants one.

-- The latest failed logins of each address, whether or not it has an account: replicas count together, and a lock tells
-- nothing about accounts. No foreign key for that reason; rows that are too old to count are removed by a job.
CREATE TABLE login_failures (
    email text CONSTRAINT login_failures_pkey PRIMARY KEY,
    -- Oldest first, none that is too old to count when the last one was added. The last one begins a lock once there are
    -- as many as the settings allow.
    failed_at timestamptz[] NOT NULL,
    last_failed_at timestamptz NOT NULL
);

CREATE INDEX login_failures_last_failed_at_idx ON login_failures (last_failed_at);

-- A user's authenticator.
CREATE TABLE mfa_enrolments (
    user_id uuid CONSTRAINT mfa_enrolments_pkey PRIMARY KEY
        CONSTRAINT mfa_enrolments_user_id_fkey REFERENCES users ON DELETE CASCADE,
    -- Sealed under APP_SECRET: codes are computed from it.
    secret bytea NOT NULL,
    -- Null until a code proved that the authenticator holds the secret; only from then on it is asked for.
    enrolled_at timestamptz,
    -- Time steps whose code was used and could still be shown again.
    used_steps bigint[] NOT NULL DEFAULT '{}'
);

-- Codes for a lost authenticator, as keyed hashes. A used one is deleted.
CREATE TABLE mfa_backup_codes (
    user_id uuid NOT NULL CONSTRAINT mfa_backup_codes_user_id_fkey REFERENCES mfa_enrolments ON DELETE CASCADE,
    code_hash bytea NOT NULL,
    CONSTRAINT mfa_backup_codes_pkey PRIMARY KEY (user_id, code_hash)
);
