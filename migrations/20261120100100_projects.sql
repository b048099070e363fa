-- Projects, their environments, and the version counter that orders everything edges are told.

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
    -- last look may have missed, whatever the size of the table.
    changed_in xid8 NOT NULL DEFAULT pg_current_xact_id(),
    -- Compiled size of the states alone.
    state_bytes bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT environments_project_id_slug_key UNIQUE (project_id, slug)
);

CREATE INDEX environments_changed_in_idx ON environments (changed_in);
CREATE INDEX environments_org_id_idx ON environments (org_id);

-- Environments that are gone, so that publishers learn of it as they learn of changes.
CREATE TABLE removed_environments (
    env_id uuid CONSTRAINT removed_environments_pkey PRIMARY KEY,
    changed_in xid8 NOT NULL DEFAULT pg_current_xact_id(),
    removed_at timestamptz NOT NULL
);

CREATE INDEX removed_environments_changed_in_idx ON removed_environments (changed_in);
