-- Signing up and in: codes, links, failed logins, second factors. Hashes only; rows are removed once they are of no use.

-- Sign-ups that wait for the code that was mailed.
CREATE TABLE pending_signups (
    email text CONSTRAINT pending_signups_pkey PRIMARY KEY,
    name text NOT NULL,
    -- Null together: an invited user may sign up without an organization of their own.
    org_name text,
    data_region text,
    -- PHC string.
    password_hash text NOT NULL,
    -- Keyed by APP_SECRET: six digits alone would be found by trying.
    code_hash bytea NOT NULL,
    code_sent_at timestamptz NOT NULL,
    code_expires_at timestamptz NOT NULL,
    failed_attempts integer NOT NULL DEFAULT 0
        CONSTRAINT pending_signups_failed_attempts_check CHECK (failed_attempts >= 0),
    CONSTRAINT pending_signups_org_name_check CHECK ((org_name IS NULL) = (data_region IS NULL))
);

CREATE INDEX pending_signups_code_expires_at_idx ON pending_signups (code_expires_at);

-- When codes of any kind were sent to an address within the last hour. One row an address, whose lock makes counting exact.
CREATE TABLE sent_codes (
    email text CONSTRAINT sent_codes_pkey PRIMARY KEY,
    sent_at timestamptz[] NOT NULL,
    last_sent_at timestamptz NOT NULL
);

CREATE INDEX sent_codes_last_sent_at_idx ON sent_codes (last_sent_at);

-- Links in verification mails. A good one works again within its life.
CREATE TABLE email_verifications (
    token_hash bytea CONSTRAINT email_verifications_pkey PRIMARY KEY,
    user_id uuid NOT NULL CONSTRAINT email_verifications_user_id_fkey REFERENCES users ON DELETE CASCADE,
    -- What the link proves; the account's address may be another one by then.
    email text NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);

CREATE INDEX email_verifications_user_id_idx ON email_verifications (user_id);
CREATE INDEX email_verifications_expires_at_idx ON email_verifications (expires_at);

-- Tokens that carry a session from one origin to another, once. Each ends with the session that it was made in.
CREATE TABLE one_time_tokens (
    token_hash bytea CONSTRAINT one_time_tokens_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT one_time_tokens_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    user_id uuid NOT NULL CONSTRAINT one_time_tokens_user_id_fkey REFERENCES users ON DELETE CASCADE,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    consumed_at timestamptz,
    family_id uuid NOT NULL CONSTRAINT one_time_tokens_family_id_fkey REFERENCES token_families ON DELETE CASCADE
);

CREATE INDEX one_time_tokens_org_id_idx ON one_time_tokens (org_id);
CREATE INDEX one_time_tokens_user_id_idx ON one_time_tokens (user_id);
CREATE INDEX one_time_tokens_expires_at_idx ON one_time_tokens (expires_at);
CREATE INDEX one_time_tokens_family_id_idx ON one_time_tokens (family_id);

-- Reset codes by the address that was asked for, whether it has an account or not: the answers afterwards must not show which.
-- A row without a user cannot be fulfilled.
CREATE TABLE password_resets (
    email text CONSTRAINT password_resets_pkey PRIMARY KEY,
    user_id uuid CONSTRAINT password_resets_user_id_fkey REFERENCES users ON DELETE CASCADE,
    -- Keyed by APP_SECRET: six digits alone would be found by trying.
    code_hash bytea NOT NULL,
    expires_at timestamptz NOT NULL,
    failed_attempts integer NOT NULL DEFAULT 0
        CONSTRAINT password_resets_failed_attempts_check CHECK (failed_attempts >= 0)
);

CREATE INDEX password_resets_user_id_idx ON password_resets (user_id);
CREATE INDEX password_resets_expires_at_idx ON password_resets (expires_at);

-- The latest failed logins of each address, whether or not it has an account: replicas count together, and a lock shows
-- nothing about accounts. No foreign key for that reason; a job removes rows that are too old to count.
CREATE TABLE login_failures (
    email text CONSTRAINT login_failures_pkey PRIMARY KEY,
    -- Oldest first, none that was too old to count when the last one was added. The last one begins a lock if the array then
    -- has the number that the settings allow.
    failed_at timestamptz[] NOT NULL,
    last_failed_at timestamptz NOT NULL
);

CREATE INDEX login_failures_last_failed_at_idx ON login_failures (last_failed_at);

-- A user's authenticator.
CREATE TABLE mfa_enrolments (
    user_id uuid CONSTRAINT mfa_enrolments_pkey PRIMARY KEY
        CONSTRAINT mfa_enrolments_user_id_fkey REFERENCES users ON DELETE CASCADE,
    -- Sealed by APP_SECRET: codes are computed from it.
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

-- The key of those hashes once APP_SECRET was replaced: they cannot be computed again without the codes.
CREATE TABLE mfa_backup_code_key (
    id smallint CONSTRAINT mfa_backup_code_key_pkey PRIMARY KEY
        CONSTRAINT mfa_backup_code_key_id_check CHECK (id = 1),
    -- Sealed by APP_SECRET. Without a row the key is derived from it.
    sealed_key bytea NOT NULL
);
