-- The keys that sign what edges and SDKs are sent.

CREATE TABLE signing_keys (
    id uuid CONSTRAINT signing_keys_pkey PRIMARY KEY,
    -- Ed25519.
    public_key bytea NOT NULL CONSTRAINT signing_keys_public_key_key UNIQUE,
    -- The seed of the private key.
    sealed_seed bytea NOT NULL,
    created_at timestamptz NOT NULL,
    -- It is told to edges from its creation on, and signs from here on.
    signs_from timestamptz NOT NULL,
    -- So late were signatures made, to the minute. Later ones are not dated before that: edges refuse to go back in time.
    signed_until timestamptz NOT NULL,
    -- Its signatures are not accepted any more; null until there is another key.
    ends_at timestamptz
);
