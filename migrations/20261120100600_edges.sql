-- The link between control plane and edges, the replicas of the control plane, and the history of the database.

CREATE TABLE link_authority (
    -- One row at most.
    id smallint CONSTRAINT link_authority_pkey PRIMARY KEY CONSTRAINT link_authority_single_check CHECK (id = 1),
    certificate_pem text NOT NULL,
    -- The private key, sealed by APP_SECRET.
    sealed_key bytea NOT NULL,
    created_at timestamptz NOT NULL
);

CREATE TABLE edge_certificates (
    -- SHA-256 of the certificate: the identity of an edge on the link.
    fingerprint bytea CONSTRAINT edge_certificates_pkey PRIMARY KEY
        CONSTRAINT edge_certificates_fingerprint_check CHECK (octet_length(fingerprint) = 32),
    name text NOT NULL,
    -- The data region whose organizations the edge may hold; null for all.
    region text,
    issued_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    last_seen_at timestamptz,
    revoked_at timestamptz,
    -- The certificate with which the edge asked for this one; null for those that an operator enrolled. Both are valid, so that an
    -- edge that lost the answer is still let in. Deleting a renewed certificate is refused: a chain is kept whole.
    renews bytea CONSTRAINT edge_certificates_renews_fkey REFERENCES edge_certificates (fingerprint) ON DELETE RESTRICT,
    -- Whether it is also the certificate of a server, for the name that all relays have. Its renewals are the same.
    is_relay boolean NOT NULL DEFAULT false
);

CREATE INDEX edge_certificates_renews_idx ON edge_certificates (renews);
-- A name is enrolled once; revoking it revokes its renewals too.
CREATE UNIQUE INDEX edge_certificates_name_key ON edge_certificates (name) WHERE revoked_at IS NULL AND renews IS NULL;

-- One row. Versions compare only within one history: edges get another epoch when it changes. A database that was rewound to an
-- earlier state (a snapshot of its disk, a restore of the data alone) begins a new one when that is detected.
CREATE TABLE database_history (
    is_only boolean CONSTRAINT database_history_pkey PRIMARY KEY DEFAULT true
        CONSTRAINT database_history_is_only_check CHECK (is_only),
    id uuid NOT NULL,
    -- By the database's own clock, for people.
    begun_at timestamptz NOT NULL,
    reason text NOT NULL
);

INSERT INTO database_history (id, begun_at, reason)
VALUES (gen_random_uuid(), now(), 'created');

-- A replica writes a mark with what it read. If the mark is gone or another one later, the database was put back to an earlier
-- state.
CREATE TABLE replica_marks (
    -- A process, in one history of the database.
    reader_id uuid CONSTRAINT replica_marks_pkey PRIMARY KEY,
    mark uuid NOT NULL,
    -- By the database's own clock, to find those of processes that have ended.
    marked_at timestamptz NOT NULL
);

-- Replicas, and their questions to each other. Nothing here outlives the processes it is about, so nothing of it goes through the
-- log: after a crash, or on a promoted standby, the tables are empty and fill again.

CREATE UNLOGGED TABLE replicas (
    id uuid CONSTRAINT replicas_pkey PRIMARY KEY,
    -- By the database's clock, which all replicas share.
    seen_at timestamptz NOT NULL,
    -- The edges connected to it, as it last wrote: the others answer from it while the replica is silent.
    presence jsonb NOT NULL DEFAULT '[]'
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
