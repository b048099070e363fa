-- Replicas of the control plane, and what one of them asks the others. Nothing here outlives the processes it is about, so
-- nothing of it goes through the log: after a crash, or on a promoted standby, the tables are empty and fill again.

CREATE UNLOGGED TABLE replicas (
    id uuid CONSTRAINT replicas_pkey PRIMARY KEY,
    -- By the database's clock, which all replicas share.
    seen_at timestamptz NOT NULL
);

CREATE UNLOGGED TABLE replica_questions (
    id uuid CONSTRAINT replica_questions_pkey PRIMARY KEY,
    asked_by uuid NOT NULL,
    question jsonb NOT NULL,
    asked_at timestamptz NOT NULL
);

CREATE UNLOGGED TABLE replica_answers (
    question_id uuid NOT NULL
        CONSTRAINT replica_answers_question_id_fkey REFERENCES replica_questions ON DELETE CASCADE,
    replica_id uuid NOT NULL,
    answer jsonb NOT NULL,
    CONSTRAINT replica_answers_pkey PRIMARY KEY (question_id, replica_id)
);
