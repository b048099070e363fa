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

-- Lists of members, in creation order.
CREATE INDEX members_org_id_created_at_idx ON members (org_id, created_at, id);
