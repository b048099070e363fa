-- What people are shown of their sessions, and which session came of which.

ALTER TABLE token_families
    ADD COLUMN last_used_at timestamptz NOT NULL,
    ADD COLUMN ip_address text,
    ADD COLUMN user_agent text CONSTRAINT token_families_user_agent_check CHECK (char_length(user_agent) <= 200),
    -- The session that took its place: that of a page, or one in another organization. Only of families that are revoked.
    ADD COLUMN continued_by uuid
        CONSTRAINT token_families_continued_by_fkey REFERENCES token_families ON DELETE SET NULL,
    -- Whether its tokens were given in exchange for that session, so that none of them is good for anything any more.
    ADD COLUMN is_spent boolean NOT NULL DEFAULT false;

CREATE INDEX token_families_continued_by_idx ON token_families (continued_by);
