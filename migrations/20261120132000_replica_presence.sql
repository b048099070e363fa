-- What the others may say of a replica that falls silent: the edges connected to it, as it said last.
ALTER TABLE replicas ADD COLUMN presence jsonb NOT NULL DEFAULT '[]';
