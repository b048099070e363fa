-- What flags answered over time. Batches of edges add to rows of a minute; a job makes rows of an hour of them, and rows of a day of
-- those, and deletes what is older than anybody may ask for. See usage/fold.rs.
CREATE TABLE evaluation_series (
    org_id uuid NOT NULL CONSTRAINT evaluation_series_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    -- Seconds that the row is about.
    step integer NOT NULL CONSTRAINT evaluation_series_step_check CHECK (step IN (60, 3600, 86400)),
    starts_at timestamptz NOT NULL,
    -- No foreign key, as for the counters: whatever is gone is deleted in batches.
    env_id uuid NOT NULL,
    flag_key text COLLATE "C" NOT NULL,
    reason text COLLATE "C" NOT NULL,
    -- JSON, or a digest of it, or empty where it is not told.
    value text COLLATE "C" NOT NULL,
    variant_key text COLLATE "C" NOT NULL,
    count bigint NOT NULL,
    CONSTRAINT evaluation_series_pkey
        PRIMARY KEY (org_id, step, starts_at, env_id, flag_key, reason, value, variant_key)
) WITH (fillfactor = 80);

-- The series of one flag.
CREATE INDEX evaluation_series_flag_key_idx ON evaluation_series (org_id, flag_key, step, starts_at);

-- Finds what was counted in environments that are gone.
CREATE INDEX evaluation_series_env_id_idx ON evaluation_series (env_id);

-- Up to when rows of an hour, and of a day, were made. Nothing is added before.
ALTER TABLE usage_windows
    ADD COLUMN hours_folded_to timestamptz,
    ADD COLUMN days_folded_to timestamptz;
