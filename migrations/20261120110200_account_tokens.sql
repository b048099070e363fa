-- What proves an address or a session besides a sign-up code. Hashes only; rows are removed once they are of no use.

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

-- Tokens that carry a session from one origin to another, once.
CREATE TABLE one_time_tokens (
    token_hash bytea CONSTRAINT one_time_tokens_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT one_time_tokens_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    user_id uuid NOT NULL CONSTRAINT one_time_tokens_user_id_fkey REFERENCES users ON DELETE CASCADE,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    consumed_at timestamptz
);

CREATE INDEX one_time_tokens_org_id_idx ON one_time_tokens (org_id);
CREATE INDEX one_time_tokens_user_id_idx ON one_time_tokens (user_id);
CREATE INDEX one_time_tokens_expires_at_idx ON one_time_tokens (expires_at);

-- Reset codes by the address that somebody asked for, whether it has an account or not: what a caller sees afterwards
-- must not tell. A row without a user cannot be fulfilled.
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
