-- What edges counted: evaluations, impressions, and which of their batches are stored.

-- The last batch of each run of each edge. Batches of a run come in order, so that smaller numbers are stored too.
CREATE TABLE usage_reports (
    -- The name of its certificate, which outlives a renewal; the built-in edge has none.
    edge text COLLATE "C" NOT NULL,
    boot bytea NOT NULL CONSTRAINT usage_reports_boot_check CHECK (octet_length(boot) = 16),
    sequence bigint NOT NULL,
    stored_at timestamptz NOT NULL,
    CONSTRAINT usage_reports_pkey PRIMARY KEY (edge, boot)
);

CREATE INDEX usage_reports_stored_at_idx ON usage_reports (stored_at);

-- What an organization counts in, made with its first batch. Its row lock orders batches, resets and flushes.
CREATE TABLE usage_windows (
    org_id uuid CONSTRAINT usage_windows_pkey PRIMARY KEY
        CONSTRAINT usage_windows_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    -- Creation of the organization, or the last reset.
    started_at timestamptz NOT NULL,
    -- Counters of keys that no flag has, kept here so that their bound costs no count over the rows.
    unknown_keys bigint NOT NULL DEFAULT 0,
    -- Rows of impressions, for the same reason.
    impressions bigint NOT NULL DEFAULT 0,
    -- A flush of impressions hands them out in batches and deletes them at the end; until then it has a claim on them, which
    -- lapses unless it is renewed.
    flush_token uuid,
    flush_lapses_at timestamptz,
    -- Up to when rows of an hour, and of a day, were made. Nothing is added before.
    hours_folded_to timestamptz,
    days_folded_to timestamptz
);

-- No foreign key to the environment: what it counted stays in the window.
CREATE TABLE evaluation_counters (
    org_id uuid NOT NULL CONSTRAINT evaluation_counters_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    env_id uuid NOT NULL,
    flag_key text COLLATE "C" NOT NULL,
    reason text COLLATE "C" NOT NULL,
    count bigint NOT NULL,
    first_seen_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    CONSTRAINT evaluation_counters_pkey PRIMARY KEY (org_id, flag_key, env_id, reason)
) WITH (fillfactor = 70);

CREATE INDEX evaluation_counters_unknown_idx ON evaluation_counters (org_id, env_id, flag_key) WHERE reason = 'NOT_FOUND';
-- Finds what was counted in environments that are gone.
CREATE INDEX evaluation_counters_env_id_idx ON evaluation_counters (env_id);

-- What flags answered over time. Batches of edges add to rows of a minute; a job makes rows of an hour of them, and rows of a day of
-- those, and deletes what is older than a request may ask for. See usage/fold.rs.
CREATE TABLE evaluation_series (
    org_id uuid NOT NULL CONSTRAINT evaluation_series_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    -- Seconds that the row is about.
    step integer NOT NULL CONSTRAINT evaluation_series_step_check CHECK (step IN (60, 3600, 86400)),
    starts_at timestamptz NOT NULL,
    -- No foreign key, as for the counters: rows of an environment that is gone are deleted in batches.
    env_id uuid NOT NULL,
    flag_key text COLLATE "C" NOT NULL,
    reason text COLLATE "C" NOT NULL,
    -- JSON, or a digest of it, or empty where it was not reported.
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

CREATE TABLE impressions (
    org_id uuid NOT NULL CONSTRAINT impressions_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    -- When an edge received it, Unix milliseconds.
    received_ms bigint NOT NULL,
    -- Distinguishes and orders the impressions of one millisecond.
    id bigint GENERATED ALWAYS AS IDENTITY,
    env_id uuid NOT NULL,
    flag_key text COLLATE "C" NOT NULL,
    variant_key text COLLATE "C" NOT NULL,
    user_key text NOT NULL,
    CONSTRAINT impressions_pkey PRIMARY KEY (org_id, received_ms, id)
);
