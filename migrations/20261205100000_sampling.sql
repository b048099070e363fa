-- Environments whose requests edges sample.

CREATE TABLE environment_sampling (
    env_id uuid
        CONSTRAINT environment_sampling_pkey PRIMARY KEY
        CONSTRAINT environment_sampling_env_id_fkey REFERENCES environments ON DELETE CASCADE,
    org_id uuid NOT NULL CONSTRAINT environment_sampling_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    -- Kept of contexts; the others never are.
    attributes text[] NOT NULL
        CONSTRAINT environment_sampling_attributes_check CHECK (cardinality(attributes) <= 20),
    keys text NOT NULL CONSTRAINT environment_sampling_keys_check CHECK (keys IN ('hashed', 'plain')),
    -- Null: off.
    enabled_at timestamptz
);

CREATE INDEX environment_sampling_org_id_idx ON environment_sampling (org_id);
