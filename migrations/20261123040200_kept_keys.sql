-- The key of what is hashed for years, once APP_SECRET was replaced: hashes cannot be made anew without what they are of.

CREATE TABLE mfa_backup_code_key (
    id smallint CONSTRAINT mfa_backup_code_key_pkey PRIMARY KEY
        CONSTRAINT mfa_backup_code_key_id_check CHECK (id = 1),
    -- Sealed by APP_SECRET. Without a row the key is derived from it.
    sealed_key bytea NOT NULL
);
