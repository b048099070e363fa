-- Owners of flags.

-- A member of the organization; null for none. No foreign key: removing a member would change up to 20,000 rows of flags without
-- their projects' locks. Who is no member any more is read as no owner, and an id is never used again.
ALTER TABLE flags ADD COLUMN owner_id uuid;
