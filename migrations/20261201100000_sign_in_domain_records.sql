-- The records of domains are looked for again, so that a domain that has changed hands is proven no longer.

ALTER TABLE sign_in_domains
    -- When the record is next looked for. Null where an operator vouches for the domain, where it is not proven, and where it
    -- was proven before this: nobody knows by whom.
    ADD COLUMN record_due_at timestamptz,
    -- Since when the record has been missing, and how often in a row.
    ADD COLUMN record_missing_since timestamptz,
    ADD COLUMN record_misses smallint NOT NULL DEFAULT 0;

CREATE INDEX sign_in_domains_record_due_at_idx ON sign_in_domains (record_due_at) WHERE record_due_at IS NOT NULL;
