-- What callers would use without answers, and rehearsals of an outage.

CREATE TABLE told_defaults (
    org_id uuid NOT NULL CONSTRAINT told_defaults_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    env_id uuid NOT NULL CONSTRAINT told_defaults_env_id_fkey REFERENCES environments ON DELETE CASCADE,
    day date NOT NULL,
    flag_key text NOT NULL,
    -- What the caller calls itself.
    service text NOT NULL,
    -- JSON, or a digest of it.
    value text NOT NULL,
    answers bigint NOT NULL,
    -- Those with another value.
    differing bigint NOT NULL,
    last_told_at timestamptz NOT NULL,
    CONSTRAINT told_defaults_pkey PRIMARY KEY (env_id, day, flag_key, service, value),
    CONSTRAINT told_defaults_differing_check CHECK (differing BETWEEN 0 AND answers)
);

CREATE INDEX told_defaults_org_id_day_idx ON told_defaults (org_id, day);
CREATE INDEX told_defaults_day_idx ON told_defaults (day);

CREATE TABLE rehearsals (
    id uuid CONSTRAINT rehearsals_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT rehearsals_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    env_id uuid NOT NULL CONSTRAINT rehearsals_env_id_fkey REFERENCES environments ON DELETE CASCADE,
    api_key_id uuid NOT NULL CONSTRAINT rehearsals_api_key_id_fkey REFERENCES api_keys ON DELETE CASCADE,
    failure text NOT NULL CONSTRAINT rehearsals_failure_check CHECK (failure IN ('unavailable', 'silence')),
    began_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    -- Whoever began it may be gone: it is history.
    began_by uuid NOT NULL,
    stopped_at timestamptz,
    -- Whether it may go on; cleared by the next one, since no index knows the time.
    is_open boolean NOT NULL,
    CONSTRAINT rehearsals_ends_at_check CHECK (ends_at > began_at AND ends_at <= began_at + interval '60 seconds')
);

-- Never two at a time.
CREATE UNIQUE INDEX rehearsals_open_key ON rehearsals (org_id) WHERE is_open;
CREATE INDEX rehearsals_org_id_env_id_began_at_idx ON rehearsals (org_id, env_id, began_at DESC, id DESC);
CREATE INDEX rehearsals_env_id_idx ON rehearsals (env_id);
CREATE INDEX rehearsals_api_key_id_idx ON rehearsals (api_key_id);
