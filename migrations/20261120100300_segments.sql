-- Segments: reusable lists of conditions.

CREATE TABLE segments (
    id uuid CONSTRAINT segments_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT segments_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    project_id uuid NOT NULL CONSTRAINT segments_project_id_fkey REFERENCES projects ON DELETE CASCADE,
    key text NOT NULL,
    name text NOT NULL,
    description text NOT NULL,
    match_type text NOT NULL CONSTRAINT segments_match_type_check CHECK (match_type IN ('all', 'any')),
    rules jsonb NOT NULL,
    changed_version bigint NOT NULL,
    -- Share of this row in projects.shared_bytes.
    compiled_bytes integer NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT segments_project_id_key_key UNIQUE (project_id, key)
);

CREATE INDEX segments_project_id_changed_version_idx ON segments (project_id, changed_version);
CREATE INDEX segments_project_id_created_at_idx ON segments (project_id, created_at, id);
CREATE INDEX segments_org_id_idx ON segments (org_id);

-- Deleted segments, as removed_flags.
CREATE TABLE removed_segments (
    segment_id uuid CONSTRAINT removed_segments_pkey PRIMARY KEY,
    project_id uuid NOT NULL CONSTRAINT removed_segments_project_id_fkey REFERENCES projects ON DELETE CASCADE,
    key text NOT NULL,
    removed_version bigint NOT NULL,
    removed_at timestamptz NOT NULL
);

CREATE INDEX removed_segments_project_id_removed_version_idx ON removed_segments (project_id, removed_version);
