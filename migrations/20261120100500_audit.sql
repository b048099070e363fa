-- Who changed what. Written in the transaction of the change; never updated. Secrets never get here.

CREATE TABLE audit_entries (
    id uuid CONSTRAINT audit_entries_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT audit_entries_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    actor_id uuid,
    actor_type text NOT NULL
        CONSTRAINT audit_entries_actor_type_check CHECK (actor_type IN ('user', 'system', 'scim', 'api_key')),
    action text NOT NULL,
    resource_type text NOT NULL,
    resource_id text,
    -- No foreign key: the entry outlives the project.
    project_id uuid,
    before_state jsonb,
    after_state jsonb,
    metadata jsonb,
    ip_address text,
    created_at timestamptz NOT NULL
);

CREATE INDEX audit_entries_org_id_created_at_idx ON audit_entries (org_id, created_at DESC, id DESC);
