-- Flags with their states in environments, segments, requests for approval, and the history of flags.

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

-- No foreign keys to the flag and the environment: deleting 10,000 states with an environment took seconds under the project's
-- lock, so a job deletes them in batches (environments/removal.rs). Nothing finds them meanwhile: every query comes by the
-- environment or the flag. Both are looked up under the project's lock before a state is written.
CREATE TABLE flag_states (
    id uuid CONSTRAINT flag_states_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT flag_states_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    flag_id uuid NOT NULL,
    env_id uuid NOT NULL,
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
    -- Share of this row in environments.state_pattern_bytes.
    pattern_bytes integer NOT NULL DEFAULT 0,
    CONSTRAINT flag_states_flag_id_env_id_key UNIQUE (flag_id, env_id)
);

CREATE INDEX flag_states_env_id_changed_version_idx ON flag_states (env_id, changed_version);
CREATE INDEX flag_states_org_id_idx ON flag_states (org_id);
CREATE INDEX flag_states_scheduled_enable_at_idx ON flag_states (scheduled_enable_at)
    WHERE scheduled_enable_at IS NOT NULL;
CREATE INDEX flag_states_scheduled_disable_at_idx ON flag_states (scheduled_disable_at)
    WHERE scheduled_disable_at IS NOT NULL;

-- Deleted flags, so that a delta can name them. A key may be used again: the removal applies before the new flag.
CREATE TABLE removed_flags (
    flag_id uuid CONSTRAINT removed_flags_pkey PRIMARY KEY,
    project_id uuid NOT NULL CONSTRAINT removed_flags_project_id_fkey REFERENCES projects ON DELETE CASCADE,
    key text NOT NULL,
    removed_version bigint NOT NULL,
    removed_at timestamptz NOT NULL
);

CREATE INDEX removed_flags_project_id_removed_version_idx ON removed_flags (project_id, removed_version);

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
    -- Share of this row in projects.shared_pattern_bytes.
    pattern_bytes integer NOT NULL DEFAULT 0,
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

-- Changes of flag states that wait for a second person, and how each was decided.
CREATE TABLE approvals (
    id uuid CONSTRAINT approvals_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT approvals_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    -- No foreign keys to the flag and its environment, nor to requestor and reviewer: requests are history, and outlive them.
    project_id uuid NOT NULL,
    flag_id uuid NOT NULL,
    env_id uuid NOT NULL,
    change_type text NOT NULL,
    -- The partial flag state as it was given; an empty object when none was.
    payload jsonb NOT NULL CONSTRAINT approvals_payload_check CHECK (jsonb_typeof(payload) = 'object'),
    -- The contract also names 'approved', between the decision and its effect. Both are one transaction, so it is never seen.
    status text NOT NULL CONSTRAINT approvals_status_check CHECK (status IN ('pending', 'rejected', 'applied')),
    requestor_id uuid NOT NULL,
    reviewer_id uuid,
    review_note text,
    reviewed_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    -- So that pages and bounds are computed without reading payloads.
    payload_bytes integer NOT NULL,
    CONSTRAINT approvals_reviewed_check
        CHECK ((status = 'pending') = (reviewer_id IS NULL) AND (status = 'pending') = (reviewed_at IS NULL))
);

CREATE INDEX approvals_org_id_created_at_idx ON approvals (org_id, created_at DESC, id DESC);
CREATE INDEX approvals_org_id_status_created_at_idx ON approvals (org_id, status, created_at DESC, id DESC);

-- What a flag's fields and its states were after each change. A version counts the changes of a flag; each is of the flag's own
-- fields (no `env_id`) or of its state in an environment, and keeps of it the members that the version after it changed: a toggle
-- beside rules that stay keeps a toggle. The newest version keeps `{}`, since its document is in `flags` or `flag_states`.
--
-- Rows are written at the commit of the change. Only the oldest of a part are deleted: at once beyond 200, and by a job once they
-- were replaced long ago or an organization has too many. None needs an older one.
CREATE TABLE flag_versions (
    org_id uuid NOT NULL CONSTRAINT flag_versions_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    project_id uuid NOT NULL,
    -- No foreign key: history outlives the flag.
    flag_id uuid NOT NULL,
    version bigint NOT NULL,
    env_id uuid,
    -- Counts the versions of the part. The first one is there as long as nothing of the part was deleted.
    ordinal bigint NOT NULL,
    action text NOT NULL,
    actor_type text NOT NULL,
    actor_id uuid,
    approval_id uuid,
    -- Fields that differ from the version before.
    changed jsonb NOT NULL,
    -- Null: the flag was deleted.
    document jsonb,
    bytes integer NOT NULL,
    made_at timestamptz NOT NULL,
    -- Null: it is the newest of its part.
    replaced_at timestamptz,
    -- Of the version that records the deletion of the flag.
    deleted_key text,
    CONSTRAINT flag_versions_pkey PRIMARY KEY (flag_id, version),
    CONSTRAINT flag_versions_flag_id_env_id_ordinal_key UNIQUE (flag_id, env_id, ordinal)
);

-- For the bounds of an organization, which are computed without reading rows.
CREATE INDEX flag_versions_org_id_replaced_at_idx ON flag_versions (org_id, replaced_at) INCLUDE (bytes);
CREATE INDEX flag_versions_deleted_key_idx ON flag_versions (org_id, project_id, deleted_key) WHERE deleted_key IS NOT NULL;

-- The bytes of an organization's versions: charged by each change at its commit, so that the bound holds at once.
CREATE TABLE flag_history_sizes (
    org_id uuid CONSTRAINT flag_history_sizes_pkey PRIMARY KEY
        CONSTRAINT flag_history_sizes_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    bytes bigint NOT NULL
) WITH (fillfactor = 70);
