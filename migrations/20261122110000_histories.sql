-- Which history of the database this is, and what environments contain.

-- One row. Versions compare only within one history: edges are told another epoch when it changes. A database that was
-- rewound to an earlier state (a snapshot of its disk, a restore of the data alone) begins a new one when that is found
-- out.
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

-- The digest of what an environment contains at a version, as it was last computed: greetings of edges are answered
-- without compiling anything. A table of its own, because rows of environments are locked by those who write.
CREATE TABLE environment_digests (
    env_id uuid CONSTRAINT environment_digests_pkey PRIMARY KEY
        CONSTRAINT environment_digests_env_id_fkey REFERENCES environments ON DELETE CASCADE,
    version bigint NOT NULL,
    -- How items are encoded before they are hashed; builds that encode otherwise ignore each other's digests.
    format smallint NOT NULL,
    digest bytea NOT NULL CONSTRAINT environment_digests_digest_check CHECK (octet_length(digest) = 32)
);
