-- How a flag state draws buckets: as the platform that it was imported from does.

-- Null: Halyard's own way. Nothing asks by it.
ALTER TABLE flag_states ADD COLUMN bucketing jsonb;
