-- Inquiries of people who want to buy. They belong to no organization: whoever asks may have none. Kept beside the mail
-- about them, which may get lost.

CREATE TABLE sales_inquiries (
    id uuid CONSTRAINT sales_inquiries_pkey PRIMARY KEY,
    contact_name text NOT NULL,
    email text NOT NULL,
    company text NOT NULL,
    -- A range in words, as `11-50`; empty when not told.
    team_size text NOT NULL,
    message text NOT NULL,
    created_at timestamptz NOT NULL
);

CREATE INDEX sales_inquiries_created_at_idx ON sales_inquiries (created_at);
