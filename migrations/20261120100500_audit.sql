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
    created_at timestamptz NOT NULL,
    -- The transaction that wrote it, so that a stream finds what was committed since it last looked: neither times nor ids are
    -- in the order of commits.
    written_in xid8 NOT NULL DEFAULT pg_current_xact_id()
);

CREATE INDEX audit_entries_org_id_written_in_idx ON audit_entries (org_id, written_in);

-- GET /v1/audit: each filter reads a page newest first from an index of its own, beside the one for the whole trail.
-- Rows without the column are in no index of it: no request can ask for them.
CREATE INDEX audit_entries_org_id_created_at_idx ON audit_entries (org_id, created_at DESC, id DESC);
CREATE INDEX audit_entries_action_idx ON audit_entries (org_id, action, created_at DESC, id DESC);
CREATE INDEX audit_entries_resource_type_idx ON audit_entries (org_id, resource_type, created_at DESC, id DESC);
CREATE INDEX audit_entries_resource_id_idx ON audit_entries (org_id, resource_id, created_at DESC, id DESC)
    WHERE resource_id IS NOT NULL;
CREATE INDEX audit_entries_project_id_idx ON audit_entries (org_id, project_id, created_at DESC, id DESC)
    WHERE project_id IS NOT NULL;
CREATE INDEX audit_entries_actor_id_idx ON audit_entries (org_id, actor_id, created_at DESC, id DESC)
    WHERE actor_id IS NOT NULL;
-- The environment that an entry is about, as `audit/store.rs` asks for it.
CREATE INDEX audit_entries_env_id_idx ON audit_entries (
    org_id,
    (coalesce(metadata ->> 'env_id', metadata ->> 'target_env_id',
              CASE WHEN resource_type = 'environment' THEN resource_id END)),
    created_at DESC,
    id DESC
)
WHERE coalesce(metadata ->> 'env_id', metadata ->> 'target_env_id',
               CASE WHEN resource_type = 'environment' THEN resource_id END) IS NOT NULL;
-- For retention.
CREATE INDEX audit_entries_created_at_idx ON audit_entries (created_at);

-- How much the audit entries of an organization keep of states on the last day that it changed anything. Charged by each
-- change as its last statement, and read by the next ones: see audit/budget.rs.
CREATE TABLE audit_budgets (
    org_id uuid CONSTRAINT audit_budgets_pkey PRIMARY KEY
        CONSTRAINT audit_budgets_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    day date NOT NULL,
    bytes bigint NOT NULL
) WITH (fillfactor = 70);

-- Actions of operators that belong to no organization: edges that were enrolled and revoked. `halyard edge history` shows them.
CREATE TABLE operator_events (
    -- Rises. Of two events at the same time either may come first.
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT operator_events_pkey PRIMARY KEY,
    at timestamptz NOT NULL,
    -- Such as `edge.enrolled`.
    action text NOT NULL,
    -- The name of what it is about.
    subject text NOT NULL,
    details jsonb NOT NULL,
    -- The user of the connection. The address is null for a socket of the same machine.
    database_user text NOT NULL,
    address text
);

CREATE INDEX operator_events_subject_idx ON operator_events (subject, id);
