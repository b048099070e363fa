-- Sessions that an organization ended for one of its members.

-- Sessions that could have been refreshed no longer than until then may not move here from another organization of theirs: they
-- began before. Null while none was ended.
ALTER TABLE members ADD COLUMN ended_sessions_until timestamptz;
