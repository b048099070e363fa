-- API keys of environments. Revoked ones stay: lists show them, and they are their own tombstones.

CREATE TABLE api_keys (
    id uuid CONSTRAINT api_keys_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT api_keys_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    env_id uuid NOT NULL CONSTRAINT api_keys_env_id_fkey REFERENCES environments ON DELETE CASCADE,
    name text NOT NULL,
    type text NOT NULL CONSTRAINT api_keys_type_check CHECK (type IN ('server', 'client')),
    -- First 12 characters of the key's text, for display.
    key_prefix text NOT NULL,
    -- SHA-256 of the key's text: its 192 random bits need no slower hash.
    hash bytea NOT NULL CONSTRAINT api_keys_hash_key UNIQUE
        CONSTRAINT api_keys_hash_check CHECK (octet_length(hash) = 32),
    -- The key that replaced this one; a key is rotated once.
    rotated_to uuid CONSTRAINT api_keys_rotated_to_fkey REFERENCES api_keys ON DELETE SET NULL,
    changed_version bigint NOT NULL,
    created_at timestamptz NOT NULL,
    last_used_at timestamptz,
    expires_at timestamptz,
    revoked_at timestamptz
);

CREATE INDEX api_keys_env_id_changed_version_idx ON api_keys (env_id, changed_version);
CREATE INDEX api_keys_org_id_idx ON api_keys (org_id);
