-- What-if on real traffic: what was asked about drafts, and what edges found.

CREATE TABLE what_if_questions (
    id uuid CONSTRAINT what_if_questions_pkey PRIMARY KEY,
    org_id uuid NOT NULL CONSTRAINT what_if_questions_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    env_id uuid NOT NULL CONSTRAINT what_if_questions_env_id_fkey REFERENCES environments ON DELETE CASCADE,
    asked_at timestamptz NOT NULL,
    -- Of the contents that the draft was made for.
    version bigint NOT NULL,
    -- Encoded; empty once edges are not asked any more.
    draft bytea NOT NULL CONSTRAINT what_if_questions_draft_check CHECK (octet_length(draft) <= 1048576),
    by_attribute text,
    -- Attributes that the flags use and that are not kept.
    not_sampled text[] NOT NULL,
    -- Whether rules name keys, of which only hashes are kept.
    names_keys boolean NOT NULL,
    -- Edges that served the environment.
    edges integer NOT NULL,
    -- Whether edges may still be asked; cleared by the last finding or by the next question, since no index knows the time.
    is_open boolean NOT NULL
);

-- Never two at a time.
CREATE UNIQUE INDEX what_if_questions_open_key ON what_if_questions (org_id) WHERE is_open;
CREATE INDEX what_if_questions_org_id_asked_at_idx ON what_if_questions (org_id, asked_at);
CREATE INDEX what_if_questions_asked_at_idx ON what_if_questions (asked_at);
CREATE INDEX what_if_questions_env_id_idx ON what_if_questions (env_id);

CREATE TABLE what_if_findings (
    question_id uuid NOT NULL
        CONSTRAINT what_if_findings_question_id_fkey REFERENCES what_if_questions ON DELETE CASCADE,
    org_id uuid NOT NULL CONSTRAINT what_if_findings_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    -- Drawn by the edge at its start: what comes twice counts once.
    boot uuid NOT NULL,
    -- Encoded.
    finding bytea NOT NULL CONSTRAINT what_if_findings_finding_check CHECK (octet_length(finding) <= 2097152),
    CONSTRAINT what_if_findings_pkey PRIMARY KEY (question_id, boot)
);

CREATE INDEX what_if_findings_org_id_idx ON what_if_findings (org_id);
