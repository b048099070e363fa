-- What operators did that belongs to no organization, and so to no audit trail: edges that were enrolled and revoked.
-- `halyard edge history` shows it.

CREATE TABLE operator_events (
    -- Rises. Of two events at the same time either may come first.
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT operator_events_pkey PRIMARY KEY,
    at timestamptz NOT NULL,
    -- Such as `edge.enrolled`.
    action text NOT NULL,
    -- The name of what it is about.
    subject text NOT NULL,
    details jsonb NOT NULL,
    -- Who it was, as the database knows it. The address is null for a connection over a socket of the same machine.
    database_user text NOT NULL,
    address text
);

CREATE INDEX operator_events_subject_idx ON operator_events (subject, id);
