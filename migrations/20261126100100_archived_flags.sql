-- Archived flags: they answer as deleted ones do, and keep their fields, states, history and key.

-- Null: not archived.
ALTER TABLE flags ADD COLUMN archived_at timestamptz;

CREATE INDEX flags_project_id_archived_at_idx ON flags (project_id, archived_at, id) WHERE archived_at IS NOT NULL;

-- The share of flag_count, so that pages need no count.
ALTER TABLE projects ADD COLUMN archived_flag_count integer NOT NULL DEFAULT 0;

-- Due times of an archived flag's states. They are not in the scheduled columns, whose indexes are scanned for passed times: there
-- they would never fire, and be found for ever.
ALTER TABLE flag_states
    ADD COLUMN paused_enable_at timestamptz,
    ADD COLUMN paused_disable_at timestamptz;
