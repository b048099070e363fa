-- Who may sign in, and for which organization. Secrets are kept as hashes only.

CREATE TABLE organizations (
    id uuid CONSTRAINT organizations_pkey PRIMARY KEY,
    name text NOT NULL,
    slug text NOT NULL CONSTRAINT organizations_slug_key UNIQUE,
    plan text NOT NULL CONSTRAINT organizations_plan_check CHECK (plan IN ('trial', 'free', 'pro', 'enterprise')),
    data_region text NOT NULL,
    -- Kept after the trial ended, for display.
    trial_expires_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);

CREATE TABLE users (
    id uuid CONSTRAINT users_pkey PRIMARY KEY,
    -- Trimmed and lower-cased before it gets here.
    email text NOT NULL CONSTRAINT users_email_key UNIQUE,
    name text NOT NULL,
    -- PHC string; null for an account that cannot sign in by password.
    password_hash text,
    email_verified boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);

CREATE TABLE members (
    id uuid CONSTRAINT members_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT members_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    user_id uuid NOT NULL CONSTRAINT members_user_id_fkey REFERENCES users ON DELETE CASCADE,
    role text NOT NULL CONSTRAINT members_role_check CHECK (role IN ('owner', 'admin', 'developer', 'viewer')),
    created_at timestamptz NOT NULL,
    -- Login chooses the organization last used, else the oldest membership.
    last_login_at timestamptz,
    CONSTRAINT members_org_id_user_id_key UNIQUE (org_id, user_id)
);

CREATE INDEX members_user_id_idx ON members (user_id);

-- One sign-in and everything refreshed from it (`sid` of the tokens). Revoking it ends them all.
CREATE TABLE token_families (
    id uuid CONSTRAINT token_families_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT token_families_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    user_id uuid NOT NULL CONSTRAINT token_families_user_id_fkey REFERENCES users ON DELETE CASCADE,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz
);

CREATE INDEX token_families_user_id_idx ON token_families (user_id);

-- Refresh tokens that were issued, by their `jti`; the signed token itself is kept by the client alone.
CREATE TABLE refresh_tokens (
    id uuid CONSTRAINT refresh_tokens_pkey PRIMARY KEY,
    family_id uuid NOT NULL CONSTRAINT refresh_tokens_family_id_fkey REFERENCES token_families ON DELETE CASCADE,
    issued_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    -- When it was first used; it stays usable for a short leeway after that.
    replaced_at timestamptz
);

CREATE INDEX refresh_tokens_family_id_idx ON refresh_tokens (family_id);
