-- Access tokens: what programs call the management API with, as the member who made them.
CREATE TABLE access_tokens (
    id uuid CONSTRAINT access_tokens_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT access_tokens_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    user_id uuid NOT NULL CONSTRAINT access_tokens_user_id_fkey REFERENCES users ON DELETE CASCADE,
    -- Null once the membership has ended, whoever ended it: another membership of the same user does not revive the token.
    member_id uuid CONSTRAINT access_tokens_member_id_fkey REFERENCES members ON DELETE SET NULL,
    name text NOT NULL,
    hash bytea NOT NULL CONSTRAINT access_tokens_hash_key UNIQUE,
    -- What narrows the member's rights; null for nothing.
    role text CONSTRAINT access_tokens_role_check CHECK (role IN ('owner', 'admin', 'developer', 'viewer')),
    project_ids uuid[],
    env_ids uuid[],
    read_only boolean NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz,
    -- To the minute, and from where.
    last_used_at timestamptz,
    last_used_ip text,
    -- When the audit log last said that it was used after its end.
    refused_at timestamptz
);

CREATE INDEX access_tokens_org_id_user_id_idx ON access_tokens (org_id, user_id, created_at, id);
CREATE INDEX access_tokens_user_id_idx ON access_tokens (user_id);
CREATE INDEX access_tokens_member_id_idx ON access_tokens (member_id);

-- A service account is a member that no person signs in as. It takes no seat.
ALTER TABLE members ADD COLUMN is_service boolean NOT NULL DEFAULT false;
