-- Imports from other platforms (the API calls them migrations), and the outcome of each item of a source.

CREATE TABLE migrations (
    id uuid CONSTRAINT migrations_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT migrations_org_id_fkey REFERENCES organizations (id) ON DELETE CASCADE,
    -- No foreign key: the report of an import outlives its project.
    project_id uuid NOT NULL,
    provider text NOT NULL
        CONSTRAINT migrations_provider_check CHECK (provider IN ('provider_a', 'provider_b', 'provider_c')),
    status text NOT NULL
        CONSTRAINT migrations_status_check CHECK (status IN ('in_progress', 'completed', 'failed')),
    started_by uuid NOT NULL,
    flags_total integer NOT NULL,
    flags_imported integer NOT NULL DEFAULT 0,
    environments_imported integer NOT NULL DEFAULT 0,
    segments_imported integer NOT NULL DEFAULT 0,
    -- Why it failed.
    failure text,
    started_at timestamptz NOT NULL,
    ended_at timestamptz,
    CONSTRAINT migrations_ended_check CHECK ((ended_at IS NULL) = (status = 'in_progress'))
);

CREATE INDEX migrations_org_id_started_at_idx ON migrations (org_id, started_at, id);

-- One import at a time into a project.
CREATE UNIQUE INDEX migrations_project_id_key ON migrations (project_id) WHERE status = 'in_progress';

CREATE TABLE migration_items (
    migration_id uuid NOT NULL
        CONSTRAINT migration_items_migration_id_fkey REFERENCES migrations (id) ON DELETE CASCADE,
    -- Counted from 0, in the order in which items were decided.
    position integer NOT NULL,
    org_id uuid NOT NULL CONSTRAINT migration_items_org_id_fkey REFERENCES organizations (id) ON DELETE CASCADE,
    kind text NOT NULL CONSTRAINT migration_items_kind_check CHECK (kind IN ('environment', 'segment', 'flag')),
    -- Its key or name at the source.
    source text NOT NULL,
    -- Its key here; NULL where nothing was made.
    key text,
    verdict text NOT NULL
        CONSTRAINT migration_items_verdict_check CHECK (verdict IN ('exact', 'approximated', 'skipped')),
    -- As the job's errors show them; those of approximations begin with `warning:`.
    reasons text[] NOT NULL,
    CONSTRAINT migration_items_pkey PRIMARY KEY (migration_id, position)
);

CREATE INDEX migration_items_org_id_idx ON migration_items (org_id);
