-- The authority of the link between control plane and edges, and the certificates it issued.

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
    revoked_at timestamptz
);

CREATE UNIQUE INDEX edge_certificates_name_key ON edge_certificates (name) WHERE revoked_at IS NULL;
