-- A one-time token ends with the session that it was made in.

ALTER TABLE one_time_tokens
    -- Null in tokens of the build before, which live for minutes.
    ADD COLUMN family_id uuid
        CONSTRAINT one_time_tokens_family_id_fkey REFERENCES token_families ON DELETE CASCADE;

CREATE INDEX one_time_tokens_family_id_idx ON one_time_tokens (family_id);
