-- By what a replica knows that the database goes on from what it has seen of it: with what a look found, it wrote a mark. A
-- database that was put back to an earlier state has another one, or none.

CREATE TABLE replica_marks (
    -- A process, in one history of the database.
    reader_id uuid CONSTRAINT replica_marks_pkey PRIMARY KEY,
    mark uuid NOT NULL,
    -- By the database's own clock, to find those of processes that have ended.
    marked_at timestamptz NOT NULL
);
