-- Until when a sign-in may be refreshed at most, whatever becomes of its session: moved, exchanged, or handed on.

ALTER TABLE token_families
    -- Null for sessions that an earlier build opened: counted from there.
    ADD COLUMN ends_at timestamptz;
