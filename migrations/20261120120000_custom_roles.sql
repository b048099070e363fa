-- Custom roles: what their members may do at most, whatever the member role allows. Built-in ones are constants of the code.

CREATE TABLE custom_roles (
    id uuid CONSTRAINT custom_roles_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT custom_roles_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    name text NOT NULL,
    -- The name as names are compared: trimmed, and lower-cased by Unicode, of which the database's locale may know nothing.
    folded_name text NOT NULL,
    permissions text[] NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT custom_roles_org_id_folded_name_key UNIQUE (org_id, folded_name),
    -- For the foreign key below, which keeps members to the roles of their own organization.
    CONSTRAINT custom_roles_org_id_id_key UNIQUE (org_id, id)
);

CREATE INDEX custom_roles_org_id_created_at_idx ON custom_roles (org_id, created_at, id);

-- The id of a custom role, or of a built-in one, which has no row: the foreign key is on what does.
ALTER TABLE members
    ADD COLUMN custom_role_id uuid,
    ADD COLUMN stored_role_id uuid GENERATED ALWAYS AS (
        CASE
            WHEN custom_role_id BETWEEN '00000000-0000-7000-8000-000000000001' AND '00000000-0000-7000-8000-000000000004'
            THEN NULL
            ELSE custom_role_id
        END
    ) STORED;

-- A role that is assigned cannot be deleted.
ALTER TABLE members
    ADD CONSTRAINT members_stored_role_id_fkey FOREIGN KEY (org_id, stored_role_id) REFERENCES custom_roles (org_id, id);

CREATE INDEX members_stored_role_id_idx ON members (org_id, stored_role_id) WHERE stored_role_id IS NOT NULL;
