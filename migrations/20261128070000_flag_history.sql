-- A version of a flag or of a state keeps of its document only the members that the version after it has otherwise: what changes
-- most is a toggle beside rules that stay. What is there now is in `flags` and `flag_states`, so the newest version keeps `{}`.
-- Rows from before keep whole documents, which say the same, and more. Only the oldest are ever deleted, and none needs an older one.
--
-- What the versions of an organization keep, in bytes: charged by each change at its commit, so that the bound holds at once.
CREATE TABLE flag_history_sizes (
    org_id uuid CONSTRAINT flag_history_sizes_pkey PRIMARY KEY
        CONSTRAINT flag_history_sizes_org_id_fkey REFERENCES organizations ON DELETE CASCADE,
    bytes bigint NOT NULL
) WITH (fillfactor = 70);

INSERT INTO flag_history_sizes (org_id, bytes) SELECT org_id, sum(bytes) FROM flag_versions GROUP BY org_id;
