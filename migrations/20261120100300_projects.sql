-- Projects, their environments with API keys, and the version counter that orders all that is published to edges.

CREATE TABLE projects (
    id uuid CONSTRAINT projects_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT projects_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    name text NOT NULL,
    slug text NOT NULL,
    -- Last version drawn. The row lock that drawing takes orders all changes of a project, so versions commit in order.
    version bigint NOT NULL DEFAULT 0,
    -- Kept beside the version, under the same lock, so that bounds cost no count over the rows.
    flag_count integer NOT NULL DEFAULT 0,
    segment_count integer NOT NULL DEFAULT 0,
    -- Compiled size of what all environments share (flags without states, segments).
    shared_bytes bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    -- Compiled size of the regular expressions among it.
    shared_pattern_bytes bigint NOT NULL DEFAULT 0,
    CONSTRAINT projects_org_id_slug_key UNIQUE (org_id, slug)
);

CREATE TABLE environments (
    id uuid CONSTRAINT environments_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT environments_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    project_id uuid NOT NULL CONSTRAINT environments_project_id_fkey REFERENCES projects ON DELETE CASCADE,
    name text NOT NULL,
    slug text NOT NULL,
    color text NOT NULL,
    -- Version of what edges serve for this environment, drawn from the project's counter.
    version bigint NOT NULL,
    -- The transaction that last raised the version. Publishers read the environments changed by transactions that their
    -- last query may have missed, whatever the size of the table.
    changed_in xid8 NOT NULL DEFAULT pg_current_xact_id(),
    -- Compiled size of the states, and of the API keys that can be used.
    state_bytes bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    -- Compiled size of the regular expressions of the states.
    state_pattern_bytes bigint NOT NULL DEFAULT 0,
    -- Counts the changes of its own fields, for `If-Match`.
    revision bigint NOT NULL DEFAULT 1,
    CONSTRAINT environments_project_id_slug_key UNIQUE (project_id, slug)
);

CREATE INDEX environments_changed_in_idx ON environments (changed_in);
CREATE INDEX environments_org_id_idx ON environments (org_id);

-- Deleted environments, so that publishers learn of them as they learn of changes.
CREATE TABLE removed_environments (
    env_id uuid CONSTRAINT removed_environments_pkey PRIMARY KEY,
    changed_in xid8 NOT NULL DEFAULT pg_current_xact_id(),
    removed_at timestamptz NOT NULL
);

CREATE INDEX removed_environments_changed_in_idx ON removed_environments (changed_in);

-- The digest of the content of an environment at a version, as it was last computed: greetings of edges are answered
-- without compiling anything. A table of its own, because writes lock rows of environments.
CREATE TABLE environment_digests (
    env_id uuid CONSTRAINT environment_digests_pkey PRIMARY KEY
        CONSTRAINT environment_digests_env_id_fkey REFERENCES environments ON DELETE CASCADE,
    version bigint NOT NULL,
    -- How items are encoded before they are hashed; builds that encode otherwise ignore each other's digests.
    format smallint NOT NULL,
    digest bytea NOT NULL CONSTRAINT environment_digests_digest_check CHECK (octet_length(digest) = 32)
);

-- What developers may not do in an environment. Without a row they may do everything there; other roles are not held to rows.
CREATE TABLE environment_permissions (
    id uuid CONSTRAINT environment_permissions_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT environment_permissions_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    member_id uuid NOT NULL CONSTRAINT environment_permissions_member_id_fkey REFERENCES members ON DELETE CASCADE,
    env_id uuid NOT NULL CONSTRAINT environment_permissions_env_id_fkey REFERENCES environments ON DELETE CASCADE,
    can_toggle boolean NOT NULL,
    can_edit_rules boolean NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT environment_permissions_member_id_env_id_key UNIQUE (member_id, env_id)
);

CREATE INDEX environment_permissions_env_id_idx ON environment_permissions (env_id);
CREATE INDEX environment_permissions_org_id_idx ON environment_permissions (org_id);

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
    revoked_at timestamptz,
    -- When a key that expired was removed from edges. A key that was revoked was removed with that.
    retired_at timestamptz
);

CREATE INDEX api_keys_env_id_changed_version_idx ON api_keys (env_id, changed_version);
CREATE INDEX api_keys_org_id_idx ON api_keys (org_id);
CREATE INDEX api_keys_rotated_to_idx ON api_keys (rotated_to) WHERE rotated_to IS NOT NULL;
-- Keys that have expired and are not removed from edges yet.
CREATE INDEX api_keys_org_id_env_id_expires_at_idx ON api_keys (org_id, env_id, expires_at)
    WHERE expires_at IS NOT NULL AND revoked_at IS NULL AND retired_at IS NULL;
