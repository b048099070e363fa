-- Provisioning by an identity provider: its tokens, and its records of users.

CREATE TABLE scim_tokens (
    id uuid CONSTRAINT scim_tokens_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT scim_tokens_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    name text,
    hash bytea NOT NULL CONSTRAINT scim_tokens_hash_key UNIQUE,
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    -- A token can do no more than its maker may do now. Null if their account is gone.
    made_by uuid CONSTRAINT scim_tokens_made_by_fkey REFERENCES users ON DELETE SET NULL
);

CREATE INDEX scim_tokens_org_id_created_at_idx ON scim_tokens (org_id, created_at, id);
CREATE INDEX scim_tokens_made_by_idx ON scim_tokens (made_by);

-- What an organization's identity provider says of a user. Whether the user is active is not stored: it is their membership.
CREATE TABLE scim_users (
    org_id uuid NOT NULL CONSTRAINT scim_users_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    user_id uuid NOT NULL CONSTRAINT scim_users_user_id_fkey REFERENCES users ON DELETE CASCADE,
    user_name text NOT NULL,
    external_id text,
    formatted_name text,
    given_name text,
    family_name text,
    emails jsonb NOT NULL,
    -- As values are compared: lower-cased by Unicode, of which the database's locale may know nothing.
    folded_user_name text NOT NULL,
    folded_external_id text,
    folded_emails text[] NOT NULL,
    -- Whether the account was made for this record, and not found.
    made_here boolean NOT NULL,
    -- After a DELETE. The record stays, so that the same name gets the same account again.
    removed_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT scim_users_pkey PRIMARY KEY (org_id, user_id)
);

CREATE UNIQUE INDEX scim_users_user_name_key ON scim_users (org_id, folded_user_name) WHERE removed_at IS NULL;
CREATE INDEX scim_users_removed_user_name_idx ON scim_users (org_id, folded_user_name) WHERE removed_at IS NOT NULL;
CREATE INDEX scim_users_external_id_idx ON scim_users (org_id, folded_external_id);
CREATE INDEX scim_users_emails_idx ON scim_users USING gin (folded_emails);
CREATE INDEX scim_users_user_id_idx ON scim_users (user_id);

-- What suspended members were, until they are reinstated, invited anew, or removed for good.
CREATE TABLE former_members (
    org_id uuid NOT NULL CONSTRAINT former_members_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    user_id uuid NOT NULL CONSTRAINT former_members_user_id_fkey REFERENCES users ON DELETE CASCADE,
    role text NOT NULL CONSTRAINT former_members_role_check CHECK (role IN ('owner', 'admin', 'developer', 'viewer')),
    -- No foreign key: a custom role that only former members have can be deleted.
    custom_role_id uuid,
    CONSTRAINT former_members_pkey PRIMARY KEY (org_id, user_id)
);

CREATE INDEX former_members_user_id_idx ON former_members (user_id);

CREATE TABLE former_permissions (
    id uuid CONSTRAINT former_permissions_pkey PRIMARY KEY,
    org_id uuid NOT NULL,
    user_id uuid NOT NULL,
    env_id uuid NOT NULL CONSTRAINT former_permissions_env_id_fkey REFERENCES environments ON DELETE CASCADE,
    can_toggle boolean NOT NULL,
    can_edit_rules boolean NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT former_permissions_org_id_user_id_fkey FOREIGN KEY (org_id, user_id) REFERENCES former_members
        ON DELETE CASCADE
);

CREATE INDEX former_permissions_org_id_user_id_idx ON former_permissions (org_id, user_id);
CREATE INDEX former_permissions_env_id_idx ON former_permissions (env_id);
