-- What a flag's fields and its states were after each change: the history that people look into and go back to. A version counts
-- the changes of a flag; each is of the flag's own fields (no `env_id`) or of its state in an environment, and keeps what was
-- stored, so that what there was at some version is the last of each before it.
--
-- Rows are written by the statement that writes the flag or the state. Only the oldest of an environment are deleted: at once
-- beyond 200, and by a job once they were replaced long ago or an organization has too many.
CREATE TABLE flag_versions (
    org_id uuid NOT NULL CONSTRAINT flag_versions_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    project_id uuid NOT NULL,
    -- No foreign key: history outlives the flag.
    flag_id uuid NOT NULL,
    version bigint NOT NULL,
    env_id uuid,
    -- Counts the versions of the flag in the environment. The first one is there as long as nothing of them was forgotten.
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
    -- Null: it is what is there.
    replaced_at timestamptz,
    -- Of the version that says that the flag was deleted.
    deleted_key text,
    CONSTRAINT flag_versions_pkey PRIMARY KEY (flag_id, version),
    CONSTRAINT flag_versions_flag_id_env_id_ordinal_key UNIQUE (flag_id, env_id, ordinal)
);

-- For the bounds of an organization, which are reckoned without looking at rows.
CREATE INDEX flag_versions_org_id_replaced_at_idx ON flag_versions (org_id, replaced_at) INCLUDE (bytes);

CREATE INDEX flag_versions_deleted_key_idx ON flag_versions (org_id, project_id, deleted_key) WHERE deleted_key IS NOT NULL;
