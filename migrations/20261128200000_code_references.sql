-- Where code names flags: what a scan of a repository found. A scan replaces what the one before it found.
CREATE TABLE repositories (
    id uuid CONSTRAINT repositories_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT repositories_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    project_id uuid NOT NULL CONSTRAINT repositories_project_id_fkey REFERENCES projects ON DELETE CASCADE,
    name text NOT NULL,
    branch text,
    commit text,
    -- An address with {path}, {line} and {commit}.
    link text,
    reference_count bigint NOT NULL,
    flag_count bigint NOT NULL,
    scanned_at timestamptz NOT NULL,
    -- The user whose rights the scan used.
    scanned_by uuid CONSTRAINT repositories_scanned_by_fkey REFERENCES users ON DELETE SET NULL,
    CONSTRAINT repositories_project_id_name_key UNIQUE (project_id, name)
);

CREATE INDEX repositories_org_id_idx ON repositories (org_id);
CREATE INDEX repositories_scanned_by_idx ON repositories (scanned_by);

-- Flags by their keys and not by their ids: a reference to a flag that is deleted stays one.
CREATE TABLE code_references (
    repository_id uuid NOT NULL CONSTRAINT code_references_repository_id_fkey REFERENCES repositories ON DELETE CASCADE,
    org_id uuid NOT NULL CONSTRAINT code_references_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    project_id uuid NOT NULL CONSTRAINT code_references_project_id_fkey REFERENCES projects ON DELETE CASCADE,
    flag_key text NOT NULL,
    path text NOT NULL,
    line integer NOT NULL CONSTRAINT code_references_line_check CHECK (line > 0),
    -- The name that stands for the key there; empty for the key itself.
    alias text NOT NULL,
    CONSTRAINT code_references_pkey PRIMARY KEY (repository_id, flag_key, path, line, alias)
);

CREATE INDEX code_references_org_id_idx ON code_references (org_id);
CREATE INDEX code_references_project_id_flag_key_idx ON code_references (project_id, flag_key);
