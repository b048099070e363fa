-- Which transaction wrote an entry of the trail, so that streams can be told what was committed since they last heard: neither times
-- nor ids are in the order of commits.

-- Null in entries of before. In two statements, so that the table is not rewritten.
ALTER TABLE audit_entries ADD COLUMN written_in xid8;
ALTER TABLE audit_entries ALTER COLUMN written_in SET DEFAULT pg_current_xact_id();

CREATE INDEX audit_entries_org_id_written_in_idx ON audit_entries (org_id, written_in) WHERE written_in IS NOT NULL;
