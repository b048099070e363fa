-- Who was invited may sign up without an organization of their own: both columns are null together then. A build that does not know
-- this cannot read such a row, and answers 500 for the ten minutes of its life.

ALTER TABLE pending_signups
    ALTER COLUMN org_name DROP NOT NULL,
    ALTER COLUMN data_region DROP NOT NULL,
    ADD CONSTRAINT pending_signups_org_name_check CHECK ((org_name IS NULL) = (data_region IS NULL));
