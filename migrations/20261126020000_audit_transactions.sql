-- Which transaction wrote an entry of the trail, so that streams can be told what was committed since they last heard: neither times
-- nor ids are in the order of commits.

ALTER TABLE audit_entries ADD COLUMN written_in xid8 NOT NULL DEFAULT pg_current_xact_id();

CREATE INDEX audit_entries_org_id_written_in_idx ON audit_entries (org_id, written_in);
