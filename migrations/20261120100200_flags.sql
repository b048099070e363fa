-- Flags, and their state per environment.

CREATE TABLE flags (
    id uuid CONSTRAINT flags_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT flags_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    project_id uuid NOT NULL CONSTRAINT flags_project_id_fkey REFERENCES projects ON DELETE CASCADE,
    key text NOT NULL,
    name text NOT NULL,
    description text NOT NULL,
    flag_type text NOT NULL
        CONSTRAINT flags_flag_type_check CHECK (flag_type IN ('boolean', 'string', 'number', 'json', 'ab')),
    default_value jsonb NOT NULL,
    tags text[] NOT NULL,
    prerequisites text[] NOT NULL,
    mutual_exclusion_group text NOT NULL,
    -- Project version at which the row last changed: publishers load what is newer than what they hold.
    changed_version bigint NOT NULL,
    -- Share of this row in projects.shared_bytes.
    compiled_bytes integer NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT flags_project_id_key_key UNIQUE (project_id, key)
);

CREATE INDEX flags_project_id_changed_version_idx ON flags (project_id, changed_version);
CREATE INDEX flags_project_id_created_at_idx ON flags (project_id, created_at, id);
CREATE INDEX flags_org_id_idx ON flags (org_id);

CREATE TABLE flag_states (
    id uuid CONSTRAINT flag_states_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT flag_states_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    flag_id uuid NOT NULL CONSTRAINT flag_states_flag_id_fkey REFERENCES flags ON DELETE CASCADE,
    env_id uuid NOT NULL CONSTRAINT flag_states_env_id_fkey REFERENCES environments ON DELETE CASCADE,
    enabled boolean NOT NULL,
    -- Null: not set.
    default_value jsonb,
    rules jsonb NOT NULL,
    -- Null: not set, which evaluates differently from 10000.
    percentage_rollout integer
        CONSTRAINT flag_states_percentage_rollout_check CHECK (percentage_rollout BETWEEN 0 AND 10000),
    variants jsonb NOT NULL,
    scheduled_enable_at timestamptz,
    scheduled_disable_at timestamptz,
    changed_version bigint NOT NULL,
    -- Share of this row in environments.state_bytes.
    compiled_bytes integer NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT flag_states_flag_id_env_id_key UNIQUE (flag_id, env_id)
);

CREATE INDEX flag_states_env_id_changed_version_idx ON flag_states (env_id, changed_version);
CREATE INDEX flag_states_org_id_idx ON flag_states (org_id);

-- Deleted flags, so that a delta can name them. A key may be used again: the removal applies before the new flag.
CREATE TABLE removed_flags (
    flag_id uuid CONSTRAINT removed_flags_pkey PRIMARY KEY,
    project_id uuid NOT NULL CONSTRAINT removed_flags_project_id_fkey REFERENCES projects ON DELETE CASCADE,
    key text NOT NULL,
    removed_version bigint NOT NULL,
    removed_at timestamptz NOT NULL
);

CREATE INDEX removed_flags_project_id_removed_version_idx ON removed_flags (project_id, removed_version);
