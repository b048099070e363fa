-- Until when a sign-in may be refreshed at most, whatever becomes of its session: moved, exchanged, or handed on.

ALTER TABLE token_families
    ADD COLUMN ends_at timestamptz NOT NULL;
