-- A flush of impressions hands them out piece by piece and deletes them at the end; until then it has a claim on them, which
-- lapses when it shows no sign of life.
ALTER TABLE usage_windows
    ADD COLUMN flush_token uuid,
    ADD COLUMN flush_lapses_at timestamptz;

-- Finds what was counted in environments that are gone.
CREATE INDEX evaluation_counters_env_id_idx ON evaluation_counters (env_id);
