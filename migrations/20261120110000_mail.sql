-- Mails that wait for a mail server. A row is written with the change that the mail is about, so that neither is
-- without the other, and goes when the mail is sent or given up: codes and links do not stay.

CREATE TABLE mails (
    id uuid CONSTRAINT mails_pkey PRIMARY KEY,
    recipient text NOT NULL,
    -- Which mail it is, for counters and logs.
    kind text NOT NULL,
    -- Subject and bodies, sealed by APP_SECRET.
    sealed_content bytea NOT NULL,
    created_at timestamptz NOT NULL,
    -- When to try next. Whoever tries moves it beyond the longest try, so that nobody else does meanwhile.
    due_at timestamptz NOT NULL,
    -- Nobody tries after this: the code in it is no longer valid, or the news is old.
    expires_at timestamptz NOT NULL,
    attempts integer NOT NULL DEFAULT 0 CONSTRAINT mails_attempts_check CHECK (attempts >= 0)
);

CREATE INDEX mails_due_at_idx ON mails (due_at);
