-- Deleting a row looks for rows that refer to it, in each table that may: without an index that is a scan of the table for each
-- deleted row.

CREATE INDEX api_keys_rotated_to_idx ON api_keys (rotated_to) WHERE rotated_to IS NOT NULL;

CREATE INDEX token_families_org_id_idx ON token_families (org_id);
