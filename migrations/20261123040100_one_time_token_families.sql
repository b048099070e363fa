-- A one-time token ends with the session that it was made in.

ALTER TABLE one_time_tokens
    ADD COLUMN family_id uuid NOT NULL
        CONSTRAINT one_time_tokens_family_id_fkey REFERENCES token_families ON DELETE CASCADE;

CREATE INDEX one_time_tokens_family_id_idx ON one_time_tokens (family_id);
